#include "kernels/max_pool.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/cpu/parallel.h"
#include "kernels/dispatch.h"

namespace lectern::kernels::cpu {
namespace {

/// The windows of a row of them, for elements that are compared as they are: each place of the kernel for all
/// windows at once, which a compiler vectorises. `Index` holds the elements of a plane.
template <typename T, typename Index>
class WindowRow {
 public:
  explicit WindowRow(const PoolSizes& sizes) : sizes_(sizes) {
    const auto count = static_cast<std::size_t>(sizes.columns.windows);
    best_.resize(count);
    index_.resize(count);
    first_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const PoolRange columns = sizes.columns.elements(static_cast<std::int64_t>(i));
      first_[i] = columns.begin < columns.end ? static_cast<Index>(columns.begin) : Index{-1};
    }
  }

  void run(const T* plane, std::int64_t row, T* out, std::int64_t* indices) {
    const PoolRange rows = sizes_.rows.elements(row);
    begin(rows);
    for (std::int64_t r = rows.begin; r < rows.end; r += rows.step) {
      const auto offset = static_cast<Index>(r * sizes_.columns.length);
      for (std::int64_t k = 0; k < sizes_.columns.kernel; ++k) take(plane + offset, offset, k);
    }
    std::copy(best_.begin(), best_.end(), out);
    if (indices != nullptr) std::copy(index_.begin(), index_.end(), indices);
  }

 private:
  void begin(const PoolRange& rows) {
    std::fill(best_.begin(), best_.end(), -std::numeric_limits<T>::infinity());
    const bool empty = rows.begin >= rows.end;
    const auto offset = static_cast<Index>(empty ? 0 : rows.begin * sizes_.columns.length);
    for (std::size_t i = 0; i < first_.size(); ++i)
      index_[i] = empty || first_[i] < 0 ? Index{-1} : static_cast<Index>(offset + first_[i]);
  }

  /// Place k of the kernel, in the windows that have it within the row.
  void take(const T* elements, Index offset, std::int64_t k) {
    const auto& [length, windows, kernel, stride, padding, dilation] = sizes_.columns;
    const std::int64_t shift = k * dilation - padding;
    const std::int64_t from = shift >= 0 ? 0 : (stride - 1 - shift) / stride;
    const std::int64_t until = shift >= length ? 0 : std::min(windows, (length - 1 - shift) / stride + 1);
    if (stride == 1) return take_with<1>(elements, offset, shift, from, until, 1);
    if (stride == 2) return take_with<2>(elements, offset, shift, from, until, 2);
    take_with<0>(elements, offset, shift, from, until, stride);
  }

  template <int kStride>
  void take_with(const T* elements, Index offset, std::int64_t shift, std::int64_t from, std::int64_t until,
                 std::int64_t stride) {
    if constexpr (kStride > 0) stride = kStride;
    T* const best = best_.data();
    Index* const index = index_.data();
    for (std::int64_t i = from; i < until; ++i) {
      const std::int64_t at = i * stride + shift;
      const T value = elements[at];
      const bool larger = value > best[i] || math::is_nan(value);
      best[i] = larger ? value : best[i];
      index[i] = larger ? static_cast<Index>(offset + static_cast<Index>(at)) : index[i];
    }
  }

  const PoolSizes& sizes_;
  std::vector<T> best_;
  std::vector<Index> index_, first_;
};

template <typename T, typename Index>
void pool_rows(const PoolSizes& sizes, T* out, std::int64_t* indices, const T* in) {
  const std::int64_t count = sizes.planes * sizes.rows.windows;
  parallel_ranges(count, sizes.planes * sizes.elements(), [&](std::int64_t begin, std::int64_t end) {
    WindowRow<T, Index> windows(sizes);
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
      if (!sizes.columns.is_adaptive() && !sizes.rows.is_adaptive()) {
        const bool small = sizes.elements() <= std::numeric_limits<std::int32_t>::max();
        return small ? pool_rows<T, std::int32_t>(sizes, to, indices, from)
                     : pool_rows<T, std::int64_t>(sizes, to, indices, from);
      }
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
