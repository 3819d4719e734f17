#include <cstdint>

#include "kernels/cuda/gemm_lt.h"
#include "kernels/matmul.h"

namespace lectern::kernels::cuda {
namespace {

Gemm gemm_of(const ProductSizes& sizes, const Array& out, const Array& a, const Array& b) {
  return {.rows = sizes.rows,
          .columns = sizes.columns,
          .inner = sizes.inner,
          .batch = 1,
          .a = {a.data, a.dtype, *matrix_layout(sizes.rows, sizes.inner, a.strides[0], a.strides[1]), 0},
          .b = {b.data, b.dtype, *matrix_layout(sizes.inner, sizes.columns, b.strides[0], b.strides[1]), 0},
          .out_dtype = out.dtype,
          .out_stride = 0,
          .out = out.data};
}

bool fused(Gemm product, Epilogue epilogue, void* vector) {
  // What NVIDIA's table of epilogues has; and what all of its algorithms read a vector by.
  constexpr std::uintptr_t kUnit = 16;
  const Dtype dtype = product.out_dtype;
  const bool has_epilogues = dtype == float32 || dtype == float16 || dtype == bfloat16;
  if (!has_epilogues || reinterpret_cast<std::uintptr_t>(vector) % kUnit != 0) return false;
  product.epilogue = epilogue;
  product.vector = vector;
  return gemm_lt(product);
}

}  // namespace

void add_matmul(const ProductSizes& sizes, const Array& out, const Array& a, const Array& b) {
  Gemm product = gemm_of(sizes, out, a, b);
  product.accumulates = true;
  gemm(product);
}

bool biased_product(const ProductSizes& sizes, const Array& out, const Array& a, const Array& b,
                    const void* bias) {
  return fused(gemm_of(sizes, out, a, b), Epilogue::bias, const_cast<void*>(bias));
}

bool product_and_row_sums(const ProductSizes& sizes, const Array& out, void* row_sums, const Array& a,
                          const Array& b) {
  return fused(gemm_of(sizes, out, a, b), Epilogue::row_sums, row_sums);
}

}  // namespace lectern::kernels::cuda
