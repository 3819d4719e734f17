#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"

namespace lectern::kernels {

/// Bytes of a line of the cache.
inline constexpr std::int64_t kCacheLine = 64;

/// Fetches kBytes. Where there is no memory nothing happens.
template <std::size_t kBytes, int kLocality>
LECTERN_HD void prefetch(const void* at) {
  for (std::size_t done = 0; done < kBytes; done += kCacheLine) {
    __builtin_prefetch(static_cast<const std::byte*>(at) + done, 0, kLocality);
  }
}

/// The same a while before they are read, for loops over what is larger than the caches: the processor's own
/// prefetching stops where a page ends, every 4 KB. So far ahead measured best.
template <std::size_t kBytes>
LECTERN_HD void prefetch_ahead(const void* at) {
  prefetch<kBytes, 3>(static_cast<const std::byte*>(at) + 64 * kCacheLine);
}

}  // namespace lectern::kernels
