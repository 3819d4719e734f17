#pragma once

#include <cstdint>

#include "base/dtype.h"

// oneDNN for products of bfloat16 matrices, for which AVX-512 and AMX processors have instructions. The
// library is loaded by the first product.

namespace lectern::kernels::cpu {

/// Whether oneDNN is there and pays off: with AVX-512, unless LECTERN_CPU asks for less (cpu/isa.h).
bool onednn_multiplies_bfloat16();

/// A matrix of bfloat16; strides in elements, one of them 1.
struct OneDnnMatrix {
  const void* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/// out = a b, contiguous, summed in float32 and rounded once if bfloat16, not float32. Returns false, with
/// nothing written, if oneDNN has no such product. On all threads; in a parallel region on this one.
bool onednn_product(void* out, Dtype out_dtype, const OneDnnMatrix& a, const OneDnnMatrix& b,
                    std::int64_t rows, std::int64_t columns, std::int64_t inner);

}  // namespace lectern::kernels::cpu
