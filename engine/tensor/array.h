#pragma once

#include <string_view>
#include <type_traits>

#include "kernels/elementwise.h"
#include "tensor/tensor.h"

namespace lectern {

/// A tensor as kernels see it; it must outlive this.
inline kernels::Array to_array(const Tensor& tensor) {
  return {tensor.data_ptr(), tensor.dtype(), tensor.strides().begin()};
}
/// The same with other strides, which must outlive it too.
inline kernels::Array to_array(const Tensor& tensor, const Sizes& strides) {
  return {tensor.data_ptr(), tensor.dtype(), strides.begin()};
}

/// out = operation(in…) on out's device, for a unary or binary operation; the arrays have out's shape.
/// `contiguous`: each of them is contiguous or a scalar.
template <typename Operation, typename... Arrays>
void apply_elementwise(std::string_view name, Operation operation, Dtype common, bool contiguous,
                       const Tensor& out, const Arrays&... in) {
  if (contiguous && out.is_contiguous() && !out.is_cuda()) {
    kernels::cpu::apply_contiguous(operation, common, out.numel(), to_array(out), in...);
  } else if constexpr (std::is_same_v<Operation, kernels::Unary>) {
    kernels::apply_unary(name, out.device(), operation, common, out.sizes(), to_array(out), in...);
  } else {
    kernels::apply_binary(name, out.device(), operation, common, out.sizes(), to_array(out), in...);
  }
}

}  // namespace lectern
