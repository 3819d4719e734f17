#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace lectern::kernels {

/// Arrays of different lengths are divided among threads in chunks of so many elements of one array.
inline constexpr std::int64_t kArrayChunk = 8192;

LECTERN_HD constexpr std::int64_t count_chunks(std::int64_t numel) {
  return (numel + kArrayChunk - 1) / kArrayChunk;
}

/// The array of a chunk, the last one whose first chunk is not past it: first_chunk(i) is that of array i,
/// and does not decrease.
template <typename FirstChunk>
LECTERN_HD std::int64_t find_array(std::int64_t arrays, std::int64_t chunk, const FirstChunk& first_chunk) {
  std::int64_t low = 0, high = arrays;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (first_chunk(middle) <= chunk) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace lectern::kernels
