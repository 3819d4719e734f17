#pragma once

#include "ops/tensors.h"
#include "tensor/tensor.h"

namespace lectern::test {

/// Of the same dtype and shape, and apart by a few roundings at most.
inline bool close(const Tensor& got, const Tensor& expected) {
  const double tolerance = got.dtype() == float64 ? 1e-12 : got.dtype() == float32 ? 2e-5 : 0.02;
  return got.dtype() == expected.dtype() && got.sizes() == expected.sizes() &&
         got.allclose(expected, tolerance, tolerance, true);
}

/// Bit by bit; on a GPU, where reductions add in another order, apart by a few roundings at most.
inline bool agree(const Tensor& got, const Tensor& expected) {
  return expected.is_cuda() ? close(got, expected) : same_bits(got, expected);
}

}  // namespace lectern::test
