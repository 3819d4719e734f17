#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"

namespace lectern::kernels::cpu {

/// Bytes of a cache line.
inline constexpr std::int64_t kCacheLine = 64;

/// Prefetches kBytes. Invalid addresses are ignored.
template <std::size_t kBytes, int kLocality>
LECTERN_HD void prefetch(const void* at) {
  for (std::size_t done = 0; done < kBytes; done += kCacheLine) {
    __builtin_prefetch(static_cast<const std::byte*>(at) + done, 0, kLocality);
  }
}

/// The same ahead of their use, for loops over data larger than the caches: hardware prefetching stops at the
/// end of a page, every 4 KB. This distance measured best.
template <std::size_t kBytes>
LECTERN_HD void prefetch_ahead(const void* at) {
  prefetch<kBytes, 3>(static_cast<const std::byte*>(at) + 64 * kCacheLine);
}

}  // namespace lectern::kernels::cpu
