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

/// By NVIDIA's table of epilogues; and aligned as any of its algorithms may read a vector.
bool has_epilogue(Dtype dtype, const void* vector) {
  constexpr std::uintptr_t kUnit = 16;
  return (dtype == float32 || dtype == float16 || dtype == bfloat16) &&
         reinterpret_cast<std::uintptr_t>(vector) % kUnit == 0;
}

bool fused(Gemm product, Epilogue epilogue, void* vector) {
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
  return has_epilogue(out.dtype, bias) &&
         fused(gemm_of(sizes, out, a, b), Epilogue::bias, const_cast<void*>(bias));
}

bool product_and_row_sums(const ProductSizes& sizes, const Array& out, void* row_sums, const Array& a,
                          const Array& b) {
  return has_epilogue(out.dtype, row_sums) && fused(gemm_of(sizes, out, a, b), Epilogue::row_sums, row_sums);
}

}  // namespace lectern::kernels::cuda
