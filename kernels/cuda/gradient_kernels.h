#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "kernels/cuda/elementwise_kernels.h"
#include "kernels/elementwise_gradients.h"

namespace lectern::kernels::cuda {

/// out = Gradient(in…), for the number of operands that the gradient takes; nothing where there is none.
template <typename Gradient>
void apply_gradient_functor(Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                            std::span<const Array> in) {
  if constexpr (std::is_invocable_v<Gradient, float>) {
    apply_functor<Gradient>(common, sizes, out, in[0]);
  } else if constexpr (std::is_invocable_v<Gradient, float, float>) {
    apply_functor<Gradient>(common, sizes, out, in[0], in[1]);
  } else if constexpr (std::is_invocable_v<Gradient, float, float, float>) {
    apply_functor<Gradient>(common, sizes, out, in[0], in[1], in[2]);
  }
}

}  // namespace lectern::kernels::cuda
