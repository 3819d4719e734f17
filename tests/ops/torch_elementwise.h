#pragma once

#include <string>

// The rows of kernels/elementwise_table.h as PyTorch spells them, of x and y.

namespace lectern::test {

inline std::string torch_unary(const std::string& name) {
  if (name == "gelu_tanh") return "torch.nn.functional.gelu(x, approximate='tanh')";
  if (name == "cube") return "torch.pow(x, 3)";
  const bool function = name == "silu" || name == "gelu" || name == "softplus" || name == "logsigmoid";
  return (function ? "torch.nn.functional." : "torch.") + name + "(x)";
}

inline std::string torch_binary(const std::string& name) {
  if (name == "silu_mul") return "torch.nn.functional.silu(x) * y";
  if (name == "bias_gelu") return "torch.nn.functional.gelu(x + y)";
  if (name == "floor_divide") return "torch.div(x, y, rounding_mode='floor')";
  if (name == "trunc_divide") return "torch.div(x, y, rounding_mode='trunc')";
  return "torch." + name + "(x, y)";
}

}  // namespace lectern::test
