#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "kernels/cpu/blas.h"
#include "kernels/cpu/conversions.h"
#include "kernels/cpu/integer_product.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/planes.h"
#include "kernels/matmul.h"

namespace lectern::kernels::cpu {

/// Products of matrices of a dtype other than the compute type T: float, or int64. Panels of both matrices
/// are converted into scratch buffers and multiplied there; complete panels of the result are converted to
/// its dtype.
template <typename T>
class PanelProduct {
 public:
  PanelProduct(Dtype dtype, Dtype out_dtype, const ProductSizes& sizes)
      : load_(conversions()(dtype, dtype_of<T>)),
        store_(conversions()(dtype_of<T>, out_dtype)),
        size_(element_size(dtype)),
        out_size_(element_size(out_dtype)),
        sizes_(sizes),
        rows_(std::min(kPanel, sizes.rows)),
        columns_(std::min(kPanel, sizes.columns)),
        inner_(std::min(kPanel, sizes.inner)),
        a_(scratch<T>(rows_ * inner_)),
        b_(scratch<T>(inner_ * columns_)),
        c_(scratch<T>(rows_ * columns_)),
        gathered_(scratch<std::byte>(std::max(rows_, columns_) * inner_ * size_)) {}

  /// Strides in bytes.
  void operator()(std::byte* out, const ConstPlane& a, const ConstPlane& b) {
    for (std::int64_t column = 0; column < sizes_.columns; column += columns_) {
      const std::int64_t columns = std::min(columns_, sizes_.columns - column);
      for (std::int64_t row = 0; row < sizes_.rows; row += rows_) {
        const std::int64_t rows = std::min(rows_, sizes_.rows - row);
        for (std::int64_t at = 0; at < sizes_.inner; at += inner_) {
          const std::int64_t inner = std::min(inner_, sizes_.inner - at);
          load(a_.get(), {a.data + row * a.row + at * a.element, a.element, a.row}, rows, inner);
          load(b_.get(), {b.data + at * b.row + column * b.element, b.element, b.row}, inner, columns);
          multiply(rows, columns, inner, at > 0);
        }
        store(out + (row * sizes_.columns + column) * out_size_, rows, columns);
      }
    }
  }

 private:
  static constexpr std::int64_t kPanel = 1024;

  template <typename U>
  static std::unique_ptr<U[]> scratch(std::int64_t count) {
    return std::make_unique_for_overwrite<U[]>(static_cast<std::size_t>(count));
  }

  /// The panel as contiguous rows.
  void load(T* to, const ConstPlane& from, std::int64_t rows, std::int64_t columns) {
    const bool adjacent = from.element == size_;
    std::byte* const gathered = load_ == nullptr ? reinterpret_cast<std::byte*>(to) : gathered_.get();
    parallel_ranges(rows, rows * columns, [&](std::int64_t begin, std::int64_t end) {
      if (load_ == nullptr || !adjacent) {
        const ConstPlane part{from.data + begin * from.row, from.element, from.row};
        plane_kernels().copy_kernel(size_)({gathered + begin * columns * size_, size_, columns * size_}, part,
                                           columns, end - begin);
      }
      if (load_ == nullptr) return;
      for (std::int64_t row = begin; row < end; ++row) {
        load_(to + row * columns, adjacent ? from.data + row * from.row : gathered + row * columns * size_,
              columns);
      }
    });
  }

  void multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, bool add) {
    if constexpr (std::is_same_v<T, float>) {
      blas_product(c_.get(), {a_.get(), inner, false}, {b_.get(), columns, false}, rows, columns, inner, add);
    } else {
      if (!add) std::fill_n(c_.get(), rows * columns, T(0));
      parallel_ranges(rows, rows * columns * inner, [&](std::int64_t begin, std::int64_t end) {
        integer_product().add(c_.get() + begin * columns, a_.get() + begin * inner, b_.get(), end - begin,
                              columns, inner);
      });
    }
  }

  void store(std::byte* to, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t row = 0; row < rows; ++row) {
      std::byte* const into = to + row * sizes_.columns * out_size_;
      if (store_ == nullptr) {
        std::copy_n(c_.get() + row * columns, columns, reinterpret_cast<T*>(into));
      } else {
        store_(into, c_.get() + row * columns, columns);
      }
    }
  }

  Conversion load_;   ///< null for int64
  Conversion store_;  ///< null for T
  std::int64_t size_, out_size_;
  ProductSizes sizes_;
  std::int64_t rows_, columns_, inner_;  ///< of a panel
  std::unique_ptr<T[]> a_, b_, c_;
  std::unique_ptr<std::byte[]> gathered_;
};

}  // namespace lectern::kernels::cpu
