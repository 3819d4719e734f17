#include "ops/activations.h"

#include <string>

#include "base/tensor_error.h"
#include "ops/elementwise.h"

namespace lectern {

Tensor gelu(const Tensor& x, std::string_view approximate) {
  if (approximate == "none") return gelu(x);
  if (approximate == "tanh") return gelu_tanh(x);
  throw TensorError("gelu", "approximate", "\"none\" or \"tanh\"", "\"" + std::string(approximate) + "\"");
}

Tensor swiglu(const Tensor& x) {
  if (x.dim() == 0 || x.size(-1) % 2 != 0)
    throw TensorError("swiglu", "last dimension", "of an even size", to_string(x.sizes()));
  const std::int64_t half = x.size(-1) / 2;
  return silu_mul(x.narrow(-1, 0, half), x.narrow(-1, half, half));
}

}  // namespace lectern
