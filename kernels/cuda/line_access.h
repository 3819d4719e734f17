#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/wide_row.h"
#include "kernels/lines.h"
#include "kernels/reduce_row.h"
#include "kernels/row.h"

// How the row algorithms read and write lines on CUDA (interface: kernels/row.h), and which threads take a
// line: a team or, if neighbouring lines are closer together than the elements of one, a thread each.

namespace lectern::kernels::cuda {

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
    Chunk chunk{};
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

/// Aligned values that all lines share, in chunks of kTaken; or, if there are none, one for all. Nothing may
/// write them meanwhile.
template <ComputeType C, int kTaken>
struct SharedRow {
  using Chunk = RowChunk<C, kTaken>;
  const C* data;
  C otherwise;

  LECTERN_HD C operator[](std::int64_t i) const { return data == nullptr ? otherwise : data[i]; }
  LECTERN_HD Chunk chunk(std::int64_t at) const {
    if (data == nullptr || !has_packs(at)) return rest(at, at + kTaken);
    Chunk chunk{};
    LECTERN_UNROLLED
    for (int p = 0; p < kPacks; ++p) {
      const RawPack pack = read_constant_pack(data + at + p * kPacked<C>);
      LECTERN_UNROLLED
      for (int i = 0; i < kPacked<C>; ++i) chunk[p * kPacked<C> + i] = pack.template number<C>(i);
    }
    return chunk;
  }
  LECTERN_HD Chunk rest(std::int64_t at, std::int64_t count) const {
    Chunk chunk;
    LECTERN_UNROLLED
    for (int i = 0; i < kTaken; ++i) chunk[i] = (*this)[at + i < count ? at + i : at];
    return chunk;
  }

  /// Read only when they are looked at: caches have them.
  struct Batch {
    const SharedRow& row;
    ChunkPlaces places;
    LECTERN_HD Chunk chunk(int k) const {
      return row.chunk(places.head + static_cast<std::int64_t>(places.number(k)) * kTaken);
    }
  };
  LECTERN_HD Batch batch(const ChunkPlaces& places) const { return {*this, places}; }
  LECTERN_HD C at_edge(int edge) const { return (*this)[edge]; }

 private:
  static constexpr int kPacks = kTaken / kPacked<C>;

  LECTERN_HD bool has_packs(std::int64_t at) const {
    return kPacks > 0 && reinterpret_cast<std::uintptr_t>(data + at) % kPackBytes == 0;
  }
};

/// A group in whose registers rows fit, with kPacks packs for each thread; 0: they do not.
template <typename Group, int kPacks>
struct Holding : Group {
  static constexpr int kHeld = kPacks;
};

/// The lines of an array: row(lines, line) is one of them, input(group, lines, line) the same to be read, in
/// registers if the group can hold it. Strided ones may lie across: closer together than the elements of one.
template <typename T>
struct WideLines {
  using Row = WideRow<T>;
  static constexpr bool kIsStrided = false;
  T* data;
  std::size_t array;

  LECTERN_HD Row row(const Lines& lines, std::int64_t line) const {
    return {reinterpret_cast<T*>(line_address(lines, array, data, line)), lines.length};
  }
  template <typename Group>
  LECTERN_HD auto input(const Group& group, const Lines& lines, std::int64_t line) const {
    if constexpr (Group::kHeld > 0) {
      return HeldRow<T, Group::kHeld>(group, row(lines, line));
    } else {
      return row(lines, line);
    }
  }
};

template <ComputeType C>
struct StridedLines {
  using Row = StridedRow<C>;
  static constexpr bool kIsStrided = true;
  std::byte* data;
  Dtype dtype;
  std::size_t array;

  LECTERN_HD Row row(const Lines& lines, std::int64_t line) const {
    return {line_address(lines, array, data, line), lines.step[array], dtype};
  }
  template <typename Group>
  LECTERN_HD Row input(const Group&, const Lines& lines, std::int64_t line) const {
    return row(lines, line);
  }
};

/// Whether the lines of the arrays, `first`… of those of `lines`, are contiguous elements of type T, and lie
/// in the same way between 16-byte boundaries. A repeated line does not.
template <typename T, std::size_t kArrays>
bool has_wide_lines(const Lines& lines, const std::array<Array, kArrays>& arrays, std::size_t first) {
  if (lines.length >= kMostWide) return false;
  const auto apart = [](std::int64_t a, std::int64_t b) { return (a - b) % kPackBytes != 0; };
  const auto address = [&](std::size_t k) { return reinterpret_cast<std::intptr_t>(arrays[k].data); };
  for (std::size_t k = 0; k < kArrays; ++k) {
    if (arrays[k].dtype != dtype_of<T> || lines.step[first + k] != sizeof(T)) return false;
    if (address(k) % static_cast<std::intptr_t>(sizeof(T)) != 0 || apart(address(k), address(0)))
      return false;
    if (lines.kept.numel == 1) continue;
    const auto& strides = lines.kept.strides[first + k];
    if (strides[0] == 0) return false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(lines.kept.rank); ++d) {
      if (apart(strides[d], lines.kept.strides[first][d])) return false;
    }
  }
  return true;
}

/// Whether the lines of the arrays, all those of `lines`, are rows of matrices and consist of packs
/// of elements of type T.
template <typename T, std::size_t kArrays>
bool has_packed_rows(const Lines& lines, const std::array<Array, kArrays>& arrays) {
  if (lines.kept.rank != 1 || lines.length % kPacked<T> != 0) return false;
  for (std::size_t k = 0; k < kArrays; ++k) {
    if (arrays[k].dtype != dtype_of<T> || lines.step[k] != sizeof(T)) return false;
    if (!is_aligned(arrays[k].data, kPackBytes) || lines.kept.strides[k][0] % kPackBytes != 0) return false;
  }
  return true;
}

/// StridedLines of the `arrays`, which are arrays `first`… of the lines.
template <ComputeType C, std::size_t kArrays>
std::array<StridedLines<C>, kArrays> strided_lines(const std::array<Array, kArrays>& arrays,
                                                   std::size_t first) {
  std::array<StridedLines<C>, kArrays> sources;
  for (std::size_t k = 0; k < kArrays; ++k) {
    sources[k] = {static_cast<std::byte*>(arrays[k].data), arrays[k].dtype, first + k};
  }
  return sources;
}

/// Calls visit(sources), with WideLines or StridedLines of the `arrays`, which are arrays `first`… of the
/// lines; in the compute type of `common`. Those of doubles are never wide: no model is trained in float64.
template <std::size_t kArrays, typename Visit>
void with_lines(const Lines& lines, Dtype common, const std::array<Array, kArrays>& arrays, std::size_t first,
                const Visit& visit) {
  const auto visit_wide = [&]<typename T>(std::type_identity<T>) {
    if (!has_wide_lines<T>(lines, arrays, first)) return false;
    std::array<WideLines<T>, kArrays> sources;
    for (std::size_t k = 0; k < kArrays; ++k) sources[k] = {static_cast<T*>(arrays[k].data), first + k};
    visit(sources);
    return true;
  };
  if (visit_wide(std::type_identity<float>{}) || visit_wide(std::type_identity<Half>{})) return;
  if (visit_wide(std::type_identity<BFloat16>{})) return;
  if (common == float64) {
    visit(strided_lines<double>(arrays, first));
  } else {
    visit(strided_lines<float>(arrays, first));
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

/// kernel(group, line) by a group that can hold rows.
template <typename Kernel, int kPacks>
struct HoldingRows {
  Kernel kernel;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    kernel(Holding<Group, kPacks>{group}, line);
  }
};

/// What an operation does with lines, and which of them it has kernels of their own for.
struct LineUse {
  int rows;                ///< a thread reads elements of so many at once, more often than once each; 0: once
  bool holds_long = true;  ///< lines that take 64 registers of a thread are held, too
  bool by_threads = true;  ///< lines that lie across are taken by a thread each
};

/// kernel(group, line) for lines of `length` elements of type T that a warp or a block holds, in 32 registers
/// of a thread or in 64. Returns whether one can; if not, nothing was launched.
template <typename T, LineUse kUse, typename Kernel>
bool launch_held_lines(std::int64_t lines, std::int64_t length, const Kernel& kernel) {
  const std::int64_t packs = length / kPacked<T>;
  const auto launch = [&]<int kThreads, int kHeld>(std::integral_constant<int, kThreads>,
                                                   std::integral_constant<int, kHeld>) {
    if (packs > kThreads * kHeld) return false;
    launch_groups<kThreads>(lines, HoldingRows<Kernel, kHeld>{kernel});
    return true;
  };
  constexpr std::integral_constant<int, kWarpThreads> kWarp;
  constexpr std::integral_constant<int, kBlockThreads> kBlock;
  constexpr std::integral_constant<int, 8 / kUse.rows> kMany;
  if (launch(kWarp, std::integral_constant<int, 2>{}) || launch(kWarp, kMany) || launch(kBlock, kMany))
    return true;
  if constexpr (kUse.holds_long) return launch(kBlock, std::integral_constant<int, 16 / kUse.rows>{});
  return false;
}

/// kernel(group, line) for wide lines of type T. Those that no group holds are read once for each pass.
template <typename T, LineUse kUse, typename Kernel>
void launch_wide_lines(const Lines& lines, const Kernel& kernel) {
  const std::int64_t count = lines.kept.numel;
  if constexpr (kUse.rows > 0) {
    if (launch_held_lines<T, kUse>(count, lines.length, kernel)) return;
  } else if (lines.length <= kWarpRow) {
    return launch_groups<kWarpThreads>(count, HoldingRows<Kernel, 0>{kernel});
  }
  launch_groups<kBlockThreads>(count, HoldingRows<Kernel, 0>{kernel});
}

/// Launches kernel(group, line) for all lines, as Source has them. `array` is the index of an input.
template <typename Source, LineUse kUse, typename Kernel>
void launch_lines(const Lines& lines, std::size_t array, const Kernel& kernel) {
  const std::int64_t count = lines.kept.numel;
  if constexpr (!Source::kIsStrided) {
    launch_wide_lines<std::remove_pointer_t<decltype(Source::data)>, kUse>(lines, kernel);
  } else {
    if constexpr (kUse.by_threads) {
      if (count > 1 && lines.kept.strides[array][0] < lines.step[array])
        return launch_for(count, ByThreads<Kernel>{kernel, count});
    }
    launch_teams(count, lines.length, kernel);
  }
}

}  // namespace lectern::kernels::cuda
