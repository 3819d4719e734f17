#include "kernels/avg_pool.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "kernels/cpu/parallel.h"
#include "kernels/dispatch.h"

namespace lectern::kernels::cpu {
namespace {

/// The windows of a row of them: the columns that they share are summed once, each row of elements at once,
/// which a compiler vectorises.
template <typename T>
class WindowRowMeans {
 public:
  WindowRowMeans(const PoolSizes& sizes, PoolDivisor divisor)
      : sizes_(sizes), divisor_(divisor), columns_(static_cast<std::size_t>(sizes.columns.length)) {
    for (std::int64_t i = 0; i < sizes.columns.windows; ++i) ranges_.push_back(sizes.columns.elements(i));
  }

  void mean(const T* plane, std::int64_t row, T* out) {
    sum_columns(plane, sizes_.rows.elements(row));
    for (std::int64_t i = 0; i < sizes_.columns.windows; ++i) {
      const PoolRange range = ranges_[static_cast<std::size_t>(i)];
      Compute<T> sum = 0;
      for (std::int64_t c = range.begin; c < range.end; ++c) sum += columns_[static_cast<std::size_t>(c)];
      out[i] = static_cast<T>(sum / divisor(row, i));
    }
  }

  /// Adds what a row of windows gives to the elements of its plane.
  void spread(const T* gradient, std::int64_t row, Compute<T>* plane) {
    std::fill(columns_.begin(), columns_.end(), Compute<T>{0});
    for (std::int64_t i = 0; i < sizes_.columns.windows; ++i) {
      const Compute<T> share = static_cast<Compute<T>>(gradient[i]) / divisor(row, i);
      const PoolRange range = ranges_[static_cast<std::size_t>(i)];
      for (std::int64_t c = range.begin; c < range.end; ++c) columns_[static_cast<std::size_t>(c)] += share;
    }
    const PoolRange rows = sizes_.rows.elements(row);
    for (std::int64_t r = rows.begin; r < rows.end; ++r) {
      Compute<T>* const to = plane + r * sizes_.columns.length;
      for (std::size_t c = 0; c < columns_.size(); ++c) to[c] += columns_[c];
    }
  }

 private:
  void sum_columns(const T* plane, const PoolRange& rows) {
    std::fill(columns_.begin(), columns_.end(), Compute<T>{0});
    for (std::int64_t r = rows.begin; r < rows.end; ++r) {
      const T* const from = plane + r * sizes_.columns.length;
      for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c] += static_cast<Compute<T>>(from[c]);
    }
  }

  Compute<T> divisor(std::int64_t row, std::int64_t column) const {
    return static_cast<Compute<T>>(divisor_.of(sizes_.rows, sizes_.columns, row, column));
  }

  const PoolSizes& sizes_;
  const PoolDivisor divisor_;
  std::vector<Compute<T>> columns_;
  std::vector<PoolRange> ranges_;
};

}  // namespace

void avg_pool(const PoolSizes& sizes, PoolDivisor divisor, Dtype dtype, void* out, const void* in) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    const std::int64_t rows = sizes.rows.windows, elements = sizes.elements();
    parallel_ranges(sizes.planes * rows, sizes.planes * elements, [&](std::int64_t begin, std::int64_t end) {
      WindowRowMeans<T> windows(sizes, divisor);
      for (std::int64_t i = begin; i < end; ++i)
        windows.mean(static_cast<const T*>(in) + i / rows * elements, i % rows,
                     static_cast<T*>(out) + i * sizes.columns.windows);
    });
  });
}

void avg_pool_gradient(const PoolSizes& sizes, PoolDivisor divisor, Dtype dtype, void* in_gradient,
                       const void* gradient) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    const std::int64_t elements = sizes.elements();
    parallel_ranges(sizes.planes, sizes.planes * elements, [&](std::int64_t begin, std::int64_t end) {
      WindowRowMeans<T> windows(sizes, divisor);
      std::vector<Compute<T>> sums(static_cast<std::size_t>(elements));
      for (std::int64_t plane = begin; plane < end; ++plane) {
        std::fill(sums.begin(), sums.end(), Compute<T>{0});
        const T* const from = static_cast<const T*>(gradient) + plane * sizes.windows();
        for (std::int64_t row = 0; row < sizes.rows.windows; ++row)
          windows.spread(from + row * sizes.columns.windows, row, sums.data());
        std::transform(sums.begin(), sums.end(), static_cast<T*>(in_gradient) + plane * elements,
                       [](Compute<T> sum) { return static_cast<T>(sum); });
      }
    });
  });
}

}  // namespace lectern::kernels::cpu
