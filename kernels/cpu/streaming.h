#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "kernels/cpu/cache.h"

// Results too large to stay in the caches are streamed: written by non-temporal stores, line by line, so that
// memory is not read first. Others see them after finish_streaming(). Those computed in place have been read
// anyway.

namespace lectern::kernels::cpu {

/// A result of so many bytes is streamed.
inline constexpr std::int64_t kStreamBytes = std::int64_t{1} << 24;

/// How a loop accesses its arrays.
enum class Access : std::uint8_t {
  cached,
  prefetched,  ///< operands come from memory: they are prefetched
  streamed     ///< the result goes to memory as well, without the caches
};

/// For a result of so many bytes.
constexpr Access choose_access(std::int64_t bytes, bool in_place) {
  return bytes < kStreamBytes ? Access::cached : in_place ? Access::prefetched : Access::streamed;
}

/// On each thread that streamed.
inline void finish_streaming() {
#ifdef __SSE2__
  __builtin_ia32_sfence();
#endif
}

/// How many of `count` elements of size kSize, at `to`, come before the first cache-line boundary.
template <std::size_t kSize>
LECTERN_HD std::int64_t elements_before_line(const void* to, std::int64_t count) {
  const auto before = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(to) % kCacheLine / kSize);
  return before < count ? before : count;
}

}  // namespace lectern::kernels::cpu
