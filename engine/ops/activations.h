#pragma once

#include <string_view>

#include "tensor/tensor.h"

// Activations that are not rows of the elementwise table (ops/elementwise.h has relu, silu, sigmoid, tanh,
// softplus and gelu).

namespace lectern {

/// x Φ(x): exact with `approximate` "none", by the tanh approximation of Φ with "tanh".
Tensor gelu(const Tensor& x, std::string_view approximate);

/// SwiGLU's gate: splits the last dimension, of even size, into halves a and b; silu(a) * b, fused.
Tensor swiglu(const Tensor& x);

}  // namespace lectern
