#pragma once

#include <algorithm>
#include <cstdint>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/opaque_value.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/pool_windows.h"

// Windows over planes (kernels/pool_windows.h), of which a thread takes several at a time: in 32 bits, and
// without a division. Those of larger planes have kernels of their own.

namespace lectern::kernels::cuda {

/// begin … end - 1.
struct ShortRange {
  int begin, end;

  LECTERN_HD bool has(int place) const {
    return static_cast<unsigned>(place - begin) < static_cast<unsigned>(end - begin);
  }
};

/// A PoolAxis that is_short(). Elements of the padding are those before 0 and from length() on.
class ShortAxis {
 public:
  ShortAxis(const PoolAxis& axis, bool counts_padding)
      : length_(static_cast<int>(axis.length)),
        windows_(static_cast<int>(axis.windows)),
        kernel_(static_cast<int>(axis.kernel)),
        stride_(stride(axis)),
        padding_(static_cast<int>(axis.padding)),
        dilation_(static_cast<int>(axis.dilation)),
        counted_padding_(counts_padding ? padding_ : 0),
        by_windows_(windows_),
        by_step_(is_adaptive() ? length_ : stride_) {}

  static constexpr std::int64_t kMost = kLargestOffset / 2;

  /// Neither are windows of little but padding.
  static bool is_short(const PoolAxis& axis) {
    if (axis.length > kMost || axis.windows > kMost) return false;
    if (axis.is_adaptive()) return (axis.length + 1) * (axis.windows + 1) <= kMost;
    return axis.kernel <= 2 * axis.length && axis.length + 2 * axis.padding + reach(axis) <= kMost;
  }
  /// The elements from the first of a window on, with all in between.
  static std::int64_t reach(const PoolAxis& axis) { return axis.dilation * axis.kernel; }

  LECTERN_HD int length() const { return length_; }
  LECTERN_HD int windows() const { return windows_; }
  LECTERN_HD bool is_adaptive() const { return kernel_ == 0; }
  LECTERN_HD int kernel() const { return kernel_; }
  LECTERN_HD int dilation() const { return dilation_; }

  /// The first element of a window that is not adaptive.
  LECTERN_HD int begin(int window) const { return window * stride_ - padding_; }
  LECTERN_HD bool has(int element) const {
    return static_cast<unsigned>(element) < static_cast<unsigned>(length_);
  }
  /// Of a window without dilation, with those of the padding.
  template <bool kAdaptive>
  LECTERN_HD ShortRange elements(int window) const {
    if constexpr (kAdaptive) {
      if (is_adaptive()) {
        const int before = window * length_;
        return {quotient(by_windows_, before), quotient(by_windows_, before + length_ + windows_ - 1)};
      }
    }
    return {begin(window), begin(window) + kernel_};
  }
  /// How many of these PoolDivisor counts.
  LECTERN_HD int count(const ShortRange& elements) const {
    return std::min(elements.end, length_ + counted_padding_) - std::max(elements.begin, -counted_padding_);
  }
  /// What it counts of each window; 0: not the same of all.
  int count_of_each() const {
    if (is_adaptive()) return 0;
    const bool are_whole =
        count(elements<false>(0)) == kernel_ && count(elements<false>(windows_ - 1)) == kernel_;
    return are_whole ? kernel_ : 0;
  }
  /// All windows that have one of the elements from `first` to `last`, and perhaps others.
  template <bool kAdaptive>
  LECTERN_HD ShortRange windows_over(int first, int last) const {
    if constexpr (kAdaptive) {
      if (is_adaptive()) {
        const int end = (last + 1) * windows_;
        return {quotient(by_step_, first * windows_), quotient(by_step_, end + length_ - 1)};
      }
    }
    const int before = first + padding_ - dilation_ * (kernel_ - 1);
    const int end = quotient(by_step_, last + padding_) + 1;
    return {before <= 0 ? 0 : quotient(by_step_, before + stride_ - 1), end < windows_ ? end : windows_};
  }
  /// Which line of windows the i-th of all is in.
  LECTERN_HD int line(int i) const { return quotient(by_windows_, i); }

 private:
  /// Any where there is one window.
  static int stride(const PoolAxis& axis) { return axis.windows == 1 ? 1 : static_cast<int>(axis.stride); }
  LECTERN_HD static int quotient(const Divider& divider, int x) {
    return static_cast<int>(divider.quotient(static_cast<std::uint32_t>(x)));
  }

  int length_, windows_, kernel_, stride_, padding_, dilation_, counted_padding_;
  Divider by_windows_, by_step_;
};

/// As many planes as have 32-bit indices.
struct PoolPart {
  ShortAxis rows, columns;
  int planes;

  LECTERN_HD int elements() const { return rows.length() * columns.length(); }  ///< of a plane
  LECTERN_HD int windows() const { return rows.windows() * columns.windows(); }
};

/// The same windows; adaptive ones as others if they are equally long.
inline PoolAxis plain_axis(const PoolAxis& axis) {
  if (!axis.is_adaptive() || axis.windows == 0 || axis.length % axis.windows != 0) return axis;
  const std::int64_t kernel = axis.length / axis.windows;
  return {axis.length, axis.windows, kernel, kernel};
}

/// Whether all windows are equally long.
inline bool has_equal_windows(const PoolSizes& sizes) {
  return !plain_axis(sizes.rows).is_adaptive() && !plain_axis(sizes.columns).is_adaptive();
}

/// Calls visit(part, first plane) for parts of all planes; returns whether they can be divided so.
template <typename Visit>
bool for_each_part(const PoolSizes& all, bool counts_padding, const Visit& visit) {
  constexpr std::int64_t kMost = ShortAxis::kMost;
  const PoolSizes sizes{all.planes, plain_axis(all.rows), plain_axis(all.columns)};
  if (sizes.elements() == 0 || sizes.windows() == 0) return false;
  if (!ShortAxis::is_short(sizes.rows) || !ShortAxis::is_short(sizes.columns)) return false;
  const std::int64_t plane = std::max(sizes.elements(), sizes.windows());
  const std::int64_t row = std::max(sizes.columns.length, ShortAxis::reach(sizes.columns));
  if (std::max(plane, ShortAxis::reach(sizes.rows) * row) > kMost) return false;
  const ShortAxis rows(sizes.rows, counts_padding), columns(sizes.columns, counts_padding);
  for (std::int64_t first = 0; first < sizes.planes; first += kMost / plane) {
    const std::int64_t planes = std::min(kMost / plane, sizes.planes - first);
    visit(PoolPart{rows, columns, static_cast<int>(planes)}, first);
  }
  return true;
}

/// Some windows that a thread takes together; those of its neighbours are their neighbours.
class WindowGroup {
 public:
  static constexpr int kCount = 4;

  LECTERN_HD WindowGroup(const PoolPart& part, std::int64_t thread)
      : first_((static_cast<int>(thread) - lane(thread)) * kCount + lane(thread)),
        end_(part.planes * part.windows()) {
    LECTERN_UNROLLED
    for (int i = 0; i < kCount; ++i) {
      const int window = has(i) ? at(i) : 0, line = part.columns.line(window), plane = part.rows.line(line);
      rows_[i] = opaque(part.rows.begin(line - plane * part.rows.windows()));
      columns_[i] = opaque(part.columns.begin(window - line * part.columns.windows()));
      corners_[i] = opaque(plane * part.elements() + rows_[i] * part.columns.length() + columns_[i]);
    }
  }
  template <typename Kernel>
  static void launch(const PoolPart& part, const Kernel& kernel) {
    launch_threads(blocks_for(part.planes * part.windows(), kBlockThreads * kCount), kBlockThreads, kernel);
  }

  LECTERN_HD bool has(int i) const { return at(i) < end_; }
  LECTERN_HD int at(int i) const { return first_ + i * kWarpThreads; }
  LECTERN_HD int row(int i) const { return rows_[i]; }  ///< the first one
  LECTERN_HD int column(int i) const { return columns_[i]; }
  /// Where in all planes they begin.
  LECTERN_HD int corner(int i) const { return corners_[i]; }

 private:
  LECTERN_HD static int lane(std::int64_t thread) { return static_cast<int>(thread) & (kWarpThreads - 1); }

  int first_, end_;
  int rows_[kCount], columns_[kCount], corners_[kCount];
};

/// Patches of planes of T: what a thread computes; at a plane's edges, what there is of it. With kAdaptive
/// windows may be adaptive.
template <typename T, bool kAdaptive, int kPatchRows, int kPatchColumns>
class PlanePatches {
 public:
  static constexpr int kRows = kPatchRows, kColumns = kPatchColumns;

  PlanePatches(const PoolPart& part, T* to)
      : to_(to),
        length_(part.columns.length()),
        rows_(part.rows.length()),
        across_((length_ + kColumns - 1) / kColumns),
        down_((rows_ + kRows - 1) / kRows),
        packed_(length_ % kColumns == 0 && is_aligned(to, sizeof(T) * kColumns)),
        count_(part.planes * static_cast<int>(across_.divisor() * down_.divisor())) {}

  struct Place {
    int plane, row, column;
    ShortRange over_rows, over_columns;  ///< all windows that have some of it, and perhaps others
  };
  LECTERN_HD int count() const { return count_; }
  LECTERN_HD Place place(const PoolPart& part, int i) const {
    const auto index = static_cast<std::uint32_t>(i);
    const std::uint32_t line = across_.quotient(index), plane = down_.quotient(line);
    const int row = static_cast<int>(line - plane * down_.divisor()) * kRows;
    const int column = static_cast<int>(index - line * across_.divisor()) * kColumns;
    const auto over_rows = part.rows.windows_over<kAdaptive>(row, std::min(row + kRows, rows_) - 1);
    const auto over_columns =
        part.columns.windows_over<kAdaptive>(column, std::min(column + kColumns, length_) - 1);
    return {static_cast<int>(plane),
            row,
            column,
            over_rows,
            {opaque(over_columns.begin), opaque(over_columns.end)}};
  }

  LECTERN_HD void write(const Place& place, const Compute<T> (&values)[kRows][kColumns]) const {
    T* line = to_ + ((place.plane * rows_ + place.row) * length_ + place.column);
    LECTERN_UNROLLED
    for (int r = 0; r < kRows; ++r, line += length_) {
      if (place.row + r >= rows_) return;
      if (packed_) {
        write_values(line, values[r]);
        continue;
      }
      LECTERN_UNROLLED
      for (int c = 0; c < kColumns; ++c) {
        if (place.column + c < length_) line[c] = static_cast<T>(values[r][c]);
      }
    }
  }

 private:
  T* to_;
  int length_, rows_;
  Divider across_, down_;
  bool packed_;  ///< a row of a patch can be written at once
  int count_;
};

}  // namespace lectern::kernels::cuda
