#pragma once

#include <cstddef>
#include <span>

namespace lectern::test {

/// Runs the program of views, in-place writes and operations that the bytes spell, on tensors and on a naive
/// model of them side by side, and compares every element after every step. Throws std::logic_error, with
/// what the program did, where they differ. Any bytes are a program.
void run_random_program(std::span<const std::byte> bytes);

}  // namespace lectern::test
