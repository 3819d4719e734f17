#include "kernels/matmul.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/cuda/gemm.h"
#include "kernels/cuda/scratch.h"
#include "kernels/elementwise.h"

namespace lectern::kernels::cuda {
namespace {

/// A dimension of a batch: its size, and the step in elements of each array.
struct BatchDim {
  std::int64_t size, out, a, b;
};

/// In the fewest dimensions; the largest, which becomes one call, comes last.
std::vector<BatchDim> batch_dims(std::span<const std::int64_t> batch, std::int64_t out_step, const Array& a,
                                 const Array& b) {
  std::vector<BatchDim> dims;
  for (std::size_t d = batch.size(); d-- > 0; out_step *= batch[d]) {
    if (batch[d] == 1) continue;
    const BatchDim next{batch[d], out_step, a.strides[d], b.strides[d]};
    if (!dims.empty() && next.a == dims.back().size * dims.back().a &&
        next.b == dims.back().size * dims.back().b) {
      dims.back().size *= next.size;
    } else {
      dims.push_back(next);
    }
  }
  if (dims.empty()) dims.push_back({1, 0, 0, 0});
  std::iter_swap(std::ranges::max_element(dims, {}, &BatchDim::size), dims.end() - 1);
  return dims;
}

const void* step(const void* data, std::int64_t elements, Dtype dtype) {
  return static_cast<const std::byte*>(data) + elements * element_size(dtype);
}

/// One cuBLAS call for the last dimension, or as many as its integers need.
void multiply_last(Gemm product, const BatchDim& dim) {
  const Gemm first = product;
  for (std::int64_t done = 0; done < dim.size; done += product.batch) {
    product.batch = std::min(dim.size - done, kLargestMatrix);
    product.a.data = step(first.a.data, done * dim.a, product.a.dtype);
    product.b.data = step(first.b.data, done * dim.b, product.b.dtype);
    product.out = const_cast<void*>(step(first.out, done * dim.out, product.out_dtype));
    gemm(product);
  }
}

void multiply(const Gemm& product, std::span<const BatchDim> dims) {
  if (dims.size() == 1) return multiply_last(product, dims.front());
  const BatchDim& outer = dims.front();
  Gemm one = product;
  for (std::int64_t i = 0; i < outer.size; ++i) {
    one.a.data = step(product.a.data, i * outer.a, product.a.dtype);
    one.b.data = step(product.b.data, i * outer.b, product.b.dtype);
    one.out = const_cast<void*>(step(product.out, i * outer.out, product.out_dtype));
    multiply(one, dims.subspan(1));
  }
}

void multiply_batch(std::span<const std::int64_t> batch, const ProductSizes& sizes, const Array& out,
                    const Array& a, const Array& b) {
  const std::int64_t* a_strides = a.strides + batch.size();
  const std::int64_t* b_strides = b.strides + batch.size();
  const std::vector<BatchDim> dims = batch_dims(batch, sizes.rows * sizes.columns, a, b);
  const BatchDim& last = dims.back();
  multiply(
      {.rows = sizes.rows,
       .columns = sizes.columns,
       .inner = sizes.inner,
       .batch = last.size,
       .a = {a.data, a.dtype, *matrix_layout(sizes.rows, sizes.inner, a_strides[0], a_strides[1]), last.a},
       .b = {b.data, b.dtype, *matrix_layout(sizes.inner, sizes.columns, b_strides[0], b_strides[1]), last.b},
       .out_dtype = out.dtype,
       .out_stride = last.out,
       .out = out.data},
      dims);
}

/// The matrices of a batch, each once, in bfloat16, which holds every value of the 8-bit types.
class Widened {
 public:
  Widened(std::span<const std::int64_t> batch, std::int64_t rows, std::int64_t columns, const Array& from)
      : sizes_(batch.begin(), batch.end()), strides_(batch.size() + 2) {
    sizes_.insert(sizes_.end(), {rows, columns});
    std::int64_t next = 1;
    for (std::size_t d = sizes_.size(); d-- > 0;) {
      const bool repeated = d < batch.size() && from.strides[d] == 0;
      if (repeated) sizes_[d] = 1;
      strides_[d] = repeated ? 0 : next;
      next *= sizes_[d];
    }
    memory_.emplace(static_cast<std::size_t>(next * element_size(bfloat16)));
    copy(sizes_, array(), from);
  }

  Array array() const { return {memory_->data(), bfloat16, strides_.data()}; }

 private:
  std::vector<std::int64_t> sizes_, strides_;
  std::optional<Scratch> memory_;
};

}  // namespace

void matmul(std::span<const std::int64_t> batch, const ProductSizes& sizes, const Array& out, const Array& a,
            const Array& b) {
  if (element_size(a.dtype) > 1) return multiply_batch(batch, sizes, out, a, b);
  std::int64_t results = sizes.rows * sizes.columns;
  for (const std::int64_t size : batch) results *= size;
  const Widened left(batch, sizes.rows, sizes.inner, a), right(batch, sizes.inner, sizes.columns, b);
  if (out.dtype == float32) return multiply_batch(batch, sizes, out, left.array(), right.array());
  const Scratch sums(static_cast<std::size_t>(results * element_size(float32)));
  const std::int64_t unit_stride = 1;
  multiply_batch(batch, sizes, {sums.data(), float32, nullptr}, left.array(), right.array());
  copy(std::span(&results, 1), {out.data, out.dtype, &unit_stride}, {sums.data(), float32, &unit_stride});
}

}  // namespace lectern::kernels::cuda
