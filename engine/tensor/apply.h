#pragma once

#include <string_view>
#include <type_traits>

#include "kernels/elementwise.h"
#include "tensor/array.h"

namespace lectern {

/// out = operation(in…) on out's device, for a unary or binary operation; the arrays have out's shape.
/// `contiguous`: each of them is contiguous or a scalar.
template <typename Operation, typename... Arrays>
void apply_elementwise(std::string_view name, Operation operation, Dtype common, bool contiguous,
                       const Tensor& out, const Arrays&... in) {
  if (contiguous && out.is_contiguous() && !out.is_cuda()) {
    kernels::cpu::apply_contiguous(operation, common, out.numel(), array_of(out), in...);
  } else if constexpr (std::is_same_v<Operation, kernels::Unary>) {
    kernels::apply_unary(name, out.device(), operation, common, out.sizes(), array_of(out), in...);
  } else {
    kernels::apply_binary(name, out.device(), operation, common, out.sizes(), array_of(out), in...);
  }
}

}  // namespace lectern
