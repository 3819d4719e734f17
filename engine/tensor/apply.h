#pragma once

#include <string_view>

#include "kernels/cuda/elementwise.h"
#include "kernels/elementwise.h"
#include "tensor/array.h"
#include "tensor/on_device.h"

namespace lectern {

/// out = operation(in…) by the kernel of out's device; the arrays have out's shape. `contiguous`: each of
/// them is contiguous or a scalar.
template <typename Kernel, typename... Arrays>
void apply_elementwise(std::string_view name, Kernel operation, Dtype common, bool contiguous,
                       const Tensor& out, const Arrays&... in) {
  on_device(
      name, out.device(),
      [&] {
        if (contiguous && out.is_contiguous()) {
          kernels::apply_contiguous(operation, common, out.numel(), array_of(out), in...);
        } else {
          kernels::apply(operation, common, out.sizes(), array_of(out), in...);
        }
      },
      [&] { kernels::cuda::apply(operation, common, out.sizes(), array_of(out), in...); });
}

}  // namespace lectern
