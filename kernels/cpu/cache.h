#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"

namespace lectern::kernels {

/// Bytes of a line of the cache.
inline constexpr std::int64_t kCacheLine = 64;

/// Fetches kBytes a while before they are read, for loops over what is larger than the caches: the
/// processor's own prefetching stops where a page ends, every 4 KB. 20 lines ahead measured best. Past the
/// end of memory nothing happens.
template <std::size_t kBytes>
LECTERN_HD void prefetch_ahead(const void* at) {
  constexpr std::size_t kLine = kCacheLine, kAhead = 20 * kLine;
  const auto* const from = static_cast<const std::byte*>(at) + kAhead;
  for (std::size_t done = 0; done < kBytes; done += kLine) __builtin_prefetch(from + done);
}

}  // namespace lectern::kernels
