#pragma once

#include <string_view>

#include "kernels/elementwise.h"
#include "ops/operands.h"

// Common to elementwise operations of three operands.

namespace lectern {

/// The device and the shape of a result.
struct ResultPlace {
  Device device;
  Sizes sizes;
};

/// For a tensor and two operands, tensors or scalars.
template <typename B, typename C>
ResultPlace result_place(std::string_view operation, const Tensor& a, const B& b, const C& c) {
  const Tensor* const tensors[] = {&a, operand_tensor(b), operand_tensor(c)};
  const Tensor* placed = &a;
  for (const Tensor* tensor : tensors) {
    if (tensor != nullptr && is_scalar(*placed)) placed = tensor;
  }
  ResultPlace place{placed->device(), a.sizes()};
  for (const Tensor* tensor : tensors) {
    if (tensor == nullptr) continue;
    common_device(operation, *placed, *tensor);
    if (tensor->sizes() != place.sizes)
      place.sizes = broadcast_sizes(operation, place.sizes, tensor->sizes());
  }
  return place;
}

/// out = operation(a, b, c), out has the shape of the result.
inline void compute_ternary(std::string_view name, kernels::Ternary operation, Dtype common,
                            const Tensor& out, const Operand& a, const Operand& b, const Operand& c) {
  kernels::apply_ternary(name, out.device(), operation, common, out.sizes(), to_array(out), a.array(),
                         b.array(), c.array());
  count_elementwise(out, a, b, c);
}

}  // namespace lectern
