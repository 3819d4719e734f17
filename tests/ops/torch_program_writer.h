#pragma once

#include <cstdint>

#include "ops/torch_program.h"

namespace lectern::test {

/// A program of views, changes in place, operations and gradients, drawn from the seed. It is run as it is
/// written, since what fits depends on shapes and numbers. No tensor has more elements than `most`; with some
/// thousands, several threads share the work on the larger ones.
///
/// Numbers are chosen so that both languages compute the same: whole ones of moderate size where an operation
/// has a kink or a tie, products bounded.
Program write_program(std::uint32_t seed, std::int64_t most);

}  // namespace lectern::test
