#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "kernels/cpu/cache.h"
#include "kernels/cpu/line_target.h"
#include "kernels/cpu/stream_bytes.h"
#include "kernels/cpu/streaming.h"

// How the row algorithms read and write lines on the CPU (interface: kernels/row.h).

namespace lectern::kernels::cpu {

/// Contiguous values in near memory. When written, the draft is the result.
template <typename T>
struct Run {
  using Value = T;
  static constexpr int kChunk = 32;
  static constexpr bool kNear = true;
  T* data;

  /// Prefetches the line past it, in most tensors the next one.
  struct BeforeNext;
  LECTERN_HD BeforeNext before_next(std::int64_t count) const;

  LECTERN_HD T operator[](std::int64_t i) const { return data[i]; }
  LECTERN_HD const T* chunk(std::int64_t at) const { return data + at; }
  LECTERN_HD const T* rest(std::int64_t at, std::int64_t) const { return data + at; }

  LECTERN_HD Run draft() const { return *this; }
  LECTERN_HD std::int64_t head(std::int64_t) const { return 0; }
  LECTERN_HD T* open(std::int64_t at) const { return data + at; }
  LECTERN_HD void close(std::int64_t, const T*, std::int64_t = 0) const {}
  LECTERN_HD void set(std::int64_t i, T value) const { data[i] = value; }
};

template <typename T>
struct Run<T>::BeforeNext : Run<T> {
  const T* next;

  LECTERN_HD const T* chunk(std::int64_t at) const {
    prefetch<Run<T>::kChunk * sizeof(T), 3>(next + at);
    return this->data + at;
  }
};

template <typename T>
LECTERN_HD auto Run<T>::before_next(std::int64_t count) const -> BeforeNext {
  return {*this, data + count};
}

/// Values to read.
template <typename T>
LECTERN_HD Run<T> make_run(const T* data) {
  return {const_cast<T*>(data)};
}

/// A line to write. When streamed, chunks are aligned to cache lines.
template <typename T>
struct Written {
  struct Chunk {
    T value[Run<T>::kChunk];
    LECTERN_HD T& operator[](std::int64_t i) { return value[i]; }
  };
  LineTarget<T> target;

  LECTERN_HD Run<T> draft() const { return {target.draft}; }
  LECTERN_HD std::int64_t head(std::int64_t count) const {
    return target.stream ? elements_before_line<sizeof(T)>(target.data, count) : 0;
  }
  LECTERN_HD Chunk open(std::int64_t) const { return {}; }
  LECTERN_HD void close(std::int64_t at, const Chunk& chunk) const {
    store_chunk(target.data + at, chunk.value, target.stream);
  }
  LECTERN_HD void close(std::int64_t at, const Chunk& chunk, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) set(at + i, chunk.value[i]);
  }
  LECTERN_HD void set(std::int64_t i, T value) const { target.data[i] = value; }
};

}  // namespace lectern::kernels::cpu
