#pragma once

#include <cstddef>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "base/host_device.h"

// How the files of per_isa/ stream (kernels/cpu/streaming.h).

namespace lectern::kernels::cpu {

/// Bypasses the caches; `to` is aligned to kBytes or a cache line, and kBytes are whole vectors.
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

/// Bytes of the widest vectors that a file of per_isa/ is compiled for.
LECTERN_HD constexpr std::size_t vector_bytes() {
#if defined(__AVX512BW__)
  return 64;
#elif defined(__AVX2__)
  return 32;
#else
  return 16;
#endif
}

/// Vector by vector: for the copy as a whole GCC would spill registers to the stack first.
template <std::size_t kBytes>
LECTERN_HD void copy_bytes(void* to, const void* from) {
  constexpr std::size_t kWidth = kBytes < vector_bytes() ? kBytes : vector_bytes();
  static_assert(kBytes % kWidth == 0);
  for (std::size_t at = 0; at < kBytes; at += kWidth) {
    typedef unsigned char Vector __attribute__((vector_size(kWidth)));
    Vector vector;
    __builtin_memcpy(&vector, static_cast<const std::byte*>(from) + at, kWidth);
    __builtin_memcpy(static_cast<std::byte*>(to) + at, &vector, kWidth);
  }
}

/// Stores values that were computed together.
template <typename T, std::size_t kCount>
LECTERN_HD void store_chunk(T* to, const T (&chunk)[kCount], bool stream) {
  if (stream) {
    stream_bytes<sizeof chunk>(to, chunk);
  } else {
    copy_bytes<sizeof chunk>(to, chunk);
  }
}

}  // namespace lectern::kernels::cpu
