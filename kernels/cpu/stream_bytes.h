#pragma once

#include <cstddef>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "base/host_device.h"

// How the files of families/ stream (kernels/cpu/streaming.h).

namespace lectern::kernels {

/// Past the caches; `to` is aligned to kBytes, or to a line of the cache, and kBytes are whole vectors.
template <std::size_t kBytes>
LECTERN_HD void stream_bytes(void* to, const void* from) {
#ifdef __AVX512F__
  if constexpr (kBytes % 64 == 0) {
    for (std::size_t i = 0; i < kBytes / 64; ++i) {
      const __m512i vector = _mm512_loadu_si512(static_cast<const __m512i*>(from) + i);
      _mm512_stream_si512(static_cast<__m512i*>(to) + i, vector);
    }
    return;
  }
#endif
#ifdef __SSE2__
  static_assert(kBytes % 16 == 0);
  for (std::size_t i = 0; i < kBytes / 16; ++i) {
    _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_loadu_si128(static_cast<const __m128i*>(from) + i));
  }
#else
  __builtin_memcpy(to, from, kBytes);
#endif
}

/// Numbers that were computed together, to where they belong.
template <typename T, std::size_t kCount>
LECTERN_HD void store_chunk(T* to, const T (&chunk)[kCount], bool stream) {
  if (stream) {
    stream_bytes<sizeof chunk>(to, chunk);
  } else {
    __builtin_memcpy(to, chunk, sizeof chunk);
  }
}

}  // namespace lectern::kernels
