#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/reduction_sources.h"
#include "kernels/lines.h"
#include "kernels/row.h"

// How the row algorithms read and write lines on CUDA (interface: kernels/row.h), and which threads take a
// line: a team or, if neighbouring lines are closer together than the elements of one, a thread each.

namespace lectern::kernels::cuda {

/// A thread's part of a row.
template <ComputeType C, int kCount>
struct RowChunk {
  C value[kCount];

  LECTERN_HD C operator[](std::int64_t i) const { return value[i]; }
  LECTERN_HD C& operator[](std::int64_t i) { return value[i]; }
};

/// Contiguous, aligned elements of type T, which a thread takes in packs.
template <typename T, int kTaken = kRowChunk<T>>
struct PackedRow {
  using Value = Compute<T>;
  using Chunk = RowChunk<Value, kTaken>;
  static constexpr int kChunk = kTaken;
  static constexpr bool kNear = false;
  T* data;

  LECTERN_HD Value operator[](std::int64_t i) const { return static_cast<Value>(data[i]); }
  LECTERN_HD Chunk chunk(std::int64_t at) const {
    Chunk chunk;
    for (int p = 0; p < kChunk / kPacked<T>; ++p) {
      const Pack<T> pack = reinterpret_cast<const Pack<T>*>(data + at)[p];
      for (int i = 0; i < kPacked<T>; ++i) chunk[p * kPacked<T> + i] = static_cast<Value>(pack.value[i]);
    }
    return chunk;
  }
  LECTERN_HD Chunk rest(std::int64_t at, std::int64_t count) const {
    Chunk chunk;
    for (int i = 0; i < kChunk; ++i) chunk[i] = (*this)[at + i < count ? at + i : at];
    return chunk;
  }
  LECTERN_HD PackedRow before_next(std::int64_t) const { return *this; }

  LECTERN_HD std::int64_t head(std::int64_t) const { return 0; }
  LECTERN_HD Chunk open(std::int64_t) const { return {}; }
  LECTERN_HD void close(std::int64_t at, const Chunk& chunk) const {
    for (int p = 0; p < kChunk / kPacked<T>; ++p) {
      Pack<T> pack;
      for (int i = 0; i < kPacked<T>; ++i) pack.value[i] = convert_number<T>(chunk[p * kPacked<T> + i]);
      reinterpret_cast<Pack<T>*>(data + at)[p] = pack;
    }
  }
  LECTERN_HD void close(std::int64_t at, const Chunk& chunk, std::int64_t count) const {
    for (int i = 0; i < kChunk; ++i) {
      if (i < count) set(at + i, chunk[i]);
    }
  }
  LECTERN_HD void set(std::int64_t i, Value value) const { data[i] = convert_number<T>(value); }
};

/// Elements of any dtype and stride; in chunks of any floating dtype.
template <ComputeType C>
struct StridedRow {
  using Value = C;
  using Chunk = RowChunk<C, kLanes>;
  static constexpr int kChunk = kLanes;
  static constexpr bool kNear = false;
  std::byte* data;
  std::int64_t step;
  Dtype dtype;

  LECTERN_HD C operator[](std::int64_t i) const { return load<C>(data + i * step, dtype); }
  LECTERN_HD Chunk chunk(std::int64_t at) const { return rest(at, at + kChunk); }
  LECTERN_HD Chunk rest(std::int64_t at, std::int64_t count) const { return read(*this, at, count); }
  LECTERN_HD StridedRow before_next(std::int64_t) const { return *this; }

  LECTERN_HD std::int64_t head(std::int64_t) const { return 0; }
  LECTERN_HD Chunk open(std::int64_t) const { return {}; }
  LECTERN_HD void close(std::int64_t at, const Chunk& chunk, std::int64_t count = kChunk) const {
    write(*this, at, chunk, count);
  }
  LECTERN_HD void set(std::int64_t i, C value) const { store(data + i * step, dtype, value); }

 private:
  LECTERN_HD_CALLED static Chunk read(StridedRow row, std::int64_t at, std::int64_t count) {
    Chunk chunk;
    dispatch_floating(row.dtype, [&]<typename T>(std::type_identity<T>) {
      for (int i = 0; i < kChunk; ++i) {
        const std::int64_t place = at + i < count ? at + i : at;
        chunk[i] = convert_number<C>(*reinterpret_cast<const T*>(row.data + place * row.step));
      }
    });
    return chunk;
  }
  LECTERN_HD_CALLED static void write(StridedRow row, std::int64_t at, Chunk chunk, std::int64_t count) {
    dispatch_floating(row.dtype, [&]<typename T>(std::type_identity<T>) {
      for (int i = 0; i < kChunk; ++i) {
        if (i < count) *reinterpret_cast<T*>(row.data + (at + i) * row.step) = convert_number<T>(chunk[i]);
      }
    });
  }
};

/// Aligned values that all lines share, in chunks of kTaken; or, if there are none, one for all.
template <ComputeType C, int kTaken>
struct SharedRow {
  using Chunk = RowChunk<C, kTaken>;
  const C* data;
  C otherwise;

  LECTERN_HD C operator[](std::int64_t i) const { return data == nullptr ? otherwise : data[i]; }
  LECTERN_HD Chunk chunk(std::int64_t at) const {
    if (data != nullptr) return PackedRow<C, kTaken>{const_cast<C*>(data)}.chunk(at);
    return rest(at, at + kTaken);
  }
  LECTERN_HD Chunk rest(std::int64_t at, std::int64_t count) const {
    Chunk chunk;
    for (int i = 0; i < kTaken; ++i) chunk[i] = (*this)[at + i < count ? at + i : at];
    return chunk;
  }
};

/// The lines of an array: row(lines, line) is one of them. They may lie across: closer together than the
/// elements of one.
template <typename T>
struct PackedLines {
  using Row = PackedRow<T>;
  static constexpr bool kMayLieAcross = false;
  T* data;
  std::size_t array;

  LECTERN_HD Row row(const Lines& lines, std::int64_t line) const {
    return {reinterpret_cast<T*>(line_address(lines, array, data, line))};
  }
};

template <ComputeType C>
struct StridedLines {
  using Row = StridedRow<C>;
  static constexpr bool kMayLieAcross = true;
  std::byte* data;
  Dtype dtype;
  std::size_t array;

  LECTERN_HD Row row(const Lines& lines, std::int64_t line) const {
    return {line_address(lines, array, data, line), lines.step[array], dtype};
  }
};

/// Whether the lines of array `k` are elements of type T in packs. A repeated line is not.
template <typename T>
bool has_packed_lines(const Lines& lines, std::size_t k, const Array& array) {
  if (array.dtype != dtype_of<T> || lines.step[k] != sizeof(T) || !is_aligned(array.data, kPackBytes))
    return false;
  if (lines.kept.numel == 1) return true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(lines.kept.rank); ++d) {
    if (lines.kept.strides[k][d] % kPackBytes != 0) return false;
  }
  return lines.kept.strides[k][0] != 0;
}

/// Calls visit(sources), with PackedLines or StridedLines of the `arrays`, which are arrays `first`… of the
/// lines; in the compute type of `common`.
template <std::size_t kArrays, typename Visit>
void with_lines(const Lines& lines, Dtype common, const std::array<Array, kArrays>& arrays, std::size_t first,
                const Visit& visit) {
  const auto visit_packed = [&]<typename T>(std::type_identity<T>) {
    std::array<PackedLines<T>, kArrays> sources;
    for (std::size_t k = 0; k < kArrays; ++k) {
      if (!has_packed_lines<T>(lines, first + k, arrays[k])) return false;
      sources[k] = {static_cast<T*>(arrays[k].data), first + k};
    }
    visit(sources);
    return true;
  };
  if (visit_packed(std::type_identity<float>{}) || visit_packed(std::type_identity<Half>{})) return;
  if (visit_packed(std::type_identity<BFloat16>{}) || visit_packed(std::type_identity<double>{})) return;
  const auto visit_strided = [&]<typename C>(std::type_identity<C>) {
    std::array<StridedLines<C>, kArrays> sources;
    for (std::size_t k = 0; k < kArrays; ++k) {
      sources[k] = {static_cast<std::byte*>(arrays[k].data), arrays[k].dtype, first + k};
    }
    visit(sources);
  };
  if (common == float64) {
    visit_strided(std::type_identity<double>{});
  } else {
    visit_strided(std::type_identity<float>{});
  }
}

/// kernel(group, line) by one thread.
template <typename Kernel>
struct ByThreads {
  Kernel kernel;
  std::int64_t count;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t line = thread; line < count; line += threads) kernel(Alone{}, line);
  }
};

/// Launches kernel(group, line) for all lines, as Source has them. `array` is the index of an input.
template <typename Source, typename Kernel>
void launch_lines(const Lines& lines, std::size_t array, const Kernel& kernel) {
  const std::int64_t count = lines.kept.numel;
  if constexpr (Source::kMayLieAcross) {
    if (count > 1 && lines.kept.strides[array][0] < lines.step[array])
      return launch_for(count, ByThreads<Kernel>{kernel, count});
  }
  launch_teams(count, lines.length, kernel);
}

}  // namespace lectern::kernels::cuda
