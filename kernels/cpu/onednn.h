#pragma once

#include <cstdint>

#include "tensor/dtype.h"

// oneDNN for products of bfloat16 matrices, which processors with AVX-512 or AMX have instructions for. The
// library is looked for when the first product wants it.

namespace lectern::kernels {

/// Whether oneDNN is there and gains anything: with AVX-512, unless LECTERN_CPU asks for less (cpu/isa.h).
bool onednn_multiplies_bfloat16();

/// A matrix of bfloat16, strides in elements, one of which is 1.
struct OneDnnMatrix {
  const void* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// out = a b, contiguous, summed in float32, and rounded once if it is bfloat16 and not float32. False, with
/// nothing written, when oneDNN has no such product. By all threads; in a parallel region by this one.
bool onednn_product(void* out, Dtype out_dtype, const OneDnnMatrix& a, const OneDnnMatrix& b,
                    std::int64_t rows, std::int64_t columns, std::int64_t inner);

}  // namespace lectern::kernels
