#include "kernels/matmul.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/blas.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/panel_product.h"
#include "kernels/cpu/parallel.h"

namespace lectern::kernels::cpu {
namespace {

/// Whether products run side by side, one thread each: small ones, and batches with several per thread.
/// Threads that share a product wait for each other at every step.
bool run_side_by_side(std::int64_t count, double multiplications) {
  constexpr double kSmall = 1 << 24;
  constexpr std::int64_t kSeveral = 8;
  return multiplications < kSmall || count >= kSeveral * parallel_threads();
}

/// The matrices of a batch.
class Batch {
 public:
  Batch(std::span<const std::int64_t> sizes, const Array& array)
      : sizes_(sizes), array_(array), element_size_(element_size(array.dtype)) {}

  Dtype dtype() const { return array_.dtype; }
  std::int64_t row_stride() const { return array_.strides[sizes_.size()]; }
  std::int64_t column_stride() const { return array_.strides[sizes_.size() + 1]; }
  const std::byte* data(std::int64_t index) const {
    const auto* at = static_cast<const std::byte*>(array_.data);
    for (std::size_t d = sizes_.size(); d-- > 0; index /= sizes_[d]) {
      at += index % sizes_[d] * array_.strides[d] * element_size_;
    }
    return at;
  }
  OneDnnMatrix matrix(std::int64_t index) const { return {data(index), row_stride(), column_stride()}; }
  ConstPlane plane(std::int64_t index) const {
    return {data(index), column_stride() * element_size_, row_stride() * element_size_};
  }

 private:
  std::span<const std::int64_t> sizes_;
  const Array& array_;
  std::int64_t element_size_;
};

template <typename T>
void multiply_directly(const ProductSizes& sizes, T* out, const Batch& a, const Batch& b, std::int64_t begin,
                       std::int64_t end, bool add = false) {
  const MatrixLayout a_layout = *matrix_layout(sizes.rows, sizes.inner, a.row_stride(), a.column_stride());
  const MatrixLayout b_layout = *matrix_layout(sizes.inner, sizes.columns, b.row_stride(), b.column_stride());
  for (std::int64_t i = begin; i < end; ++i) {
    blas_product(out + i * sizes.rows * sizes.columns, {a.data(i), a_layout.leading, a_layout.transposed},
                 {b.data(i), b_layout.leading, b_layout.transposed}, sizes.rows, sizes.columns, sizes.inner,
                 add);
  }
}

template <typename T>
void multiply_converted(const ProductSizes& sizes, const Array& out, const Batch& a, const Batch& b,
                        std::int64_t begin, std::int64_t end) {
  PanelProduct<T> product(a.dtype(), out.dtype, sizes);
  const std::int64_t bytes = sizes.rows * sizes.columns * element_size(out.dtype);
  for (std::int64_t i = begin; i < end; ++i) {
    product(static_cast<std::byte*>(out.data) + i * bytes, a.plane(i), b.plane(i));
  }
}

/// Whether oneDNN pays off and reads the matrices in place.
bool suits_onednn(const ProductSizes& sizes, double multiplications, const Batch& a, const Batch& b) {
  constexpr double kWorthIt = 1 << 16;
  return a.dtype() == bfloat16 && multiplications >= kWorthIt &&
         matrix_layout(sizes.rows, sizes.inner, a.row_stride(), a.column_stride()) &&
         matrix_layout(sizes.inner, sizes.columns, b.row_stride(), b.column_stride()) &&
         onednn_multiplies_bfloat16();
}

void multiply_bfloat16(const ProductSizes& sizes, const Array& out, const Batch& a, const Batch& b,
                       std::int64_t begin, std::int64_t end) {
  const std::int64_t bytes = sizes.rows * sizes.columns * element_size(out.dtype);
  for (std::int64_t i = begin; i < end; ++i) {
    if (onednn_product(static_cast<std::byte*>(out.data) + i * bytes, out.dtype, a.matrix(i), b.matrix(i),
                       sizes.rows, sizes.columns, sizes.inner))
      continue;
    multiply_converted<float>(sizes, out, a, b, i, i + 1);
  }
}

}  // namespace

bool float8_product(const ProductSizes&, const Array&, const Array&, const Array&) {
  return false;
}
bool biased_product(const ProductSizes&, const Array&, const Array&, const Array&, const void*) {
  return false;
}
bool product_and_row_sums(const ProductSizes&, const Array&, void*, const Array&, const Array&) {
  return false;
}

void matmul(std::span<const std::int64_t> batch, const ProductSizes& sizes, const Array& out, const Array& a,
            const Array& b) {
  std::int64_t count = 1;
  for (const std::int64_t size : batch) count *= size;
  const std::int64_t results = count * sizes.rows * sizes.columns;
  if (results == 0) return;
  if (sizes.inner == 0) {
    std::memset(out.data, 0, static_cast<std::size_t>(results * element_size(out.dtype)));
    return;
  }
  const Batch left(batch, a), right(batch, b);
  const double multiplications =
      static_cast<double>(sizes.rows) * static_cast<double>(sizes.columns) * static_cast<double>(sizes.inner);
  const bool by_onednn = suits_onednn(sizes, multiplications, left, right);
  const auto multiply = [&](std::int64_t begin, std::int64_t end) {
    if (by_onednn) {
      multiply_bfloat16(sizes, out, left, right, begin, end);
    } else if (a.dtype == float32) {
      multiply_directly(sizes, static_cast<float*>(out.data), left, right, begin, end);
    } else if (a.dtype == float64) {
      multiply_directly(sizes, static_cast<double*>(out.data), left, right, begin, end);
    } else if (is_floating_point(a.dtype)) {
      multiply_converted<float>(sizes, out, left, right, begin, end);
    } else {
      multiply_converted<std::int64_t>(sizes, out, left, right, begin, end);
    }
  };
  if (run_side_by_side(count, multiplications)) {
    const double work = std::min(static_cast<double>(count) * multiplications, 1e18);
    parallel_ranges(count, static_cast<std::int64_t>(work), multiply);
  } else {
    multiply(0, count);
  }
}

void add_matmul(const ProductSizes& sizes, const Array& out, const Array& a, const Array& b) {
  const Batch left({}, a), right({}, b);
  if (out.dtype == float32) {
    multiply_directly(sizes, static_cast<float*>(out.data), left, right, 0, 1, true);
  } else {
    multiply_directly(sizes, static_cast<double*>(out.data), left, right, 0, 1, true);
  }
}

}  // namespace lectern::kernels::cpu
