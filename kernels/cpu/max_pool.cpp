#include "kernels/max_pool.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/pool_lines.h"
#include "kernels/dispatch.h"

namespace lectern::kernels::cpu {
namespace {

/// The windows of a row of them, for elements that are compared as they are, several at a time.
template <typename T>
class WindowRow {
 public:
  using Index = PoolIndex<T>;
  /// Elements of a plane; some more have indices, too.
  static constexpr std::int64_t kMostElements = std::numeric_limits<Index>::max() / 2;

  explicit WindowRow(const PoolSizes& sizes)
      : sizes_(sizes), stride_(sizes.columns.windows == 1 ? 1 : sizes.columns.stride) {
    const PoolAxis& columns = sizes.columns;
    const std::int64_t count = (columns.windows + kPoolGroup - 1) / kPoolGroup * kPoolGroup;
    first_.resize(static_cast<std::size_t>(count), -1);
    for (std::int64_t i = 0; i < columns.windows; ++i) {
      const PoolRange range = columns.elements(i);
      if (range.begin < range.end) first_[static_cast<std::size_t>(i)] = static_cast<Index>(range.begin);
    }
    values_.resize(first_.size());
    indices_.resize(first_.size());
    pitch_ = std::max(columns.padding + columns.length,
                      (count + 1) * stride_ + (columns.kernel - 1) * columns.dilation);
    lines_.resize(static_cast<std::size_t>(sizes.rows.kernel * pitch_), -std::numeric_limits<T>::infinity());
  }

  void run(const T* plane, std::int64_t row, T* out, std::int64_t* indices) {
    const std::int64_t length = sizes_.columns.length, padding = sizes_.columns.padding;
    const PoolRange rows = sizes_.rows.elements(row);
    const std::int64_t above = rows.begin * length;
    std::int64_t count = 0;
    for (std::int64_t r = rows.begin; r < rows.end; r += rows.step)
      std::copy_n(plane + r * length, length, lines_.data() + count++ * pitch_ + padding);
    std::transform(first_.begin(), first_.end(), indices_.begin(), [&](Index first) {
      return first < 0 || count == 0 ? Index{-1} : static_cast<Index>(first + above);
    });
    const PoolLines<T> lines{.data = lines_.data(),
                             .count = count,
                             .pitch = pitch_,
                             .index = above - padding,
                             .index_pitch = rows.step * length,
                             .kernel = sizes_.columns.kernel,
                             .stride = stride_,
                             .dilation = sizes_.columns.dilation};
    const std::int64_t windows = sizes_.columns.windows;
    pool_line_kernels().get<T>().maxima(values_.data(), indices_.data(), lines, windows);
    std::copy_n(values_.begin(), windows, out);
    if (indices != nullptr) std::copy_n(indices_.begin(), windows, indices);
  }

 private:
  const PoolSizes& sizes_;
  const std::int64_t stride_;  ///< any, where there is one window
  std::vector<Index> first_;   ///< column of each window, or -1; for whole groups of them
  std::vector<T> values_;
  std::vector<Index> indices_;
  std::int64_t pitch_;
  std::vector<T> lines_;  ///< -∞ in the padding and wherever no window is
};

template <typename T>
void pool_rows(const PoolSizes& sizes, T* out, std::int64_t* indices, const T* in) {
  const std::int64_t count = sizes.planes * sizes.rows.windows;
  parallel_ranges(count, sizes.planes * sizes.elements(), [&](std::int64_t begin, std::int64_t end) {
    WindowRow<T> windows(sizes);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t at = i * sizes.columns.windows;
      windows.run(in + i / sizes.rows.windows * sizes.elements(), i % sizes.rows.windows, out + at,
                  indices == nullptr ? nullptr : indices + at);
    }
  });
}

template <typename T>
void pool_windows(const PoolSizes& sizes, T* out, std::int64_t* indices, const T* in) {
  const std::int64_t count = sizes.planes * sizes.windows();
  parallel_ranges(count, sizes.planes * sizes.elements(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto found =
          window_maximum(sizes, in + i / sizes.windows() * sizes.elements(), i % sizes.windows());
      out[i] = found.value;
      if (indices != nullptr) indices[i] = found.index;
    }
  });
}

/// Adds up the gradients of a plane; `sums` begins with zeros.
template <typename Sum, typename T>
void add_gradients(const PoolSizes& sizes, Sum* sums, const T* gradient, const std::int64_t* indices) {
  for (std::int64_t i = 0; i < sizes.windows(); ++i)
    if (indices[i] >= 0) sums[indices[i]] += static_cast<Sum>(gradient[i]);
}

}  // namespace

void max_pool(const PoolSizes& sizes, Dtype dtype, void* out, std::int64_t* indices, const void* in) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    auto* const to = static_cast<T*>(out);
    const auto* const from = static_cast<const T*>(in);
    if constexpr (std::is_floating_point_v<T>) {
      const bool adaptive = sizes.columns.is_adaptive() || sizes.rows.is_adaptive();
      if (!adaptive && sizes.elements() <= WindowRow<T>::kMostElements)
        return pool_rows(sizes, to, indices, from);
    }
    pool_windows(sizes, to, indices, from);
  });
}

void max_pool_gradient(const PoolSizes& sizes, Dtype dtype, void* in_gradient, const void* gradient,
                       const std::int64_t* indices) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    const std::int64_t elements = sizes.elements(), windows = sizes.windows();
    parallel_ranges(sizes.planes, sizes.planes * elements, [&](std::int64_t begin, std::int64_t end) {
      std::vector<Compute<T>> sums(std::is_floating_point_v<T> ? 0 : static_cast<std::size_t>(elements));
      for (std::int64_t plane = begin; plane < end; ++plane) {
        auto* const to = static_cast<T*>(in_gradient) + plane * elements;
        const auto* const from = static_cast<const T*>(gradient) + plane * windows;
        if constexpr (std::is_floating_point_v<T>) {
          std::fill_n(to, elements, T{0});
          add_gradients(sizes, to, from, indices + plane * windows);
        } else {
          std::fill(sums.begin(), sums.end(), Compute<T>{0});
          add_gradients(sizes, sums.data(), from, indices + plane * windows);
          std::transform(sums.begin(), sums.end(), to, [](Compute<T> sum) { return static_cast<T>(sum); });
        }
      }
    });
  });
}

}  // namespace lectern::kernels::cpu
