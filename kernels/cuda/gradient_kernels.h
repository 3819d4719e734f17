#pragma once

#include <cstdint>
#include <span>

#include "kernels/cuda/elementwise_kernels.h"

namespace lectern::kernels::cuda {

/// out = gradient(in…), for the number of operands that it takes.
template <typename Gradient>
void apply_gradient_operation(const Gradient& gradient, Dtype common, std::span<const std::int64_t> sizes,
                              const Array& out, std::span<const Array> in) {
  if (in.size() == 1) return apply_operation(gradient, common, sizes, out, in[0]);
  if (in.size() == 2) return apply_operation(gradient, common, sizes, out, in[0], in[1]);
  apply_operation(gradient, common, sizes, out, in[0], in[1], in[2]);
}

}  // namespace lectern::kernels::cuda
