#pragma once

#include <cstdint>
#include <span>

#include "kernels/nonzero.h"

// kernels/nonzero.h on the current CUDA device, enqueued on the current stream.

namespace lectern::kernels::cuda {

/// Waits for the count it returns.
std::int64_t count_nonzero(std::int64_t count, const bool* mask, std::int64_t* starts);
void fill_nonzero(std::span<const std::int64_t> sizes, const bool* mask, const std::int64_t* starts,
                  std::int64_t* out);

}  // namespace lectern::kernels::cuda
