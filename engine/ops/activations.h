#pragma once

#include <string_view>

#include "tensor/tensor.h"

// Activations that are more than a row of the table of elementwise operations (ops/elementwise.h, which has
// relu, silu, sigmoid, tanh, softplus and gelu).

namespace lectern {

/// x Φ(x), with `approximate` "none" exactly, with "tanh" by the usual approximation of Φ.
Tensor gelu(const Tensor& x, std::string_view approximate);

/// SwiGLU's gate: the last dimension, of an even size, is two halves, a and b; silu(a) * b, in one pass.
Tensor swiglu(const Tensor& x);

}  // namespace lectern
