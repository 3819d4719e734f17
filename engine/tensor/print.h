#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

/// How tensors are printed: the arguments of torch.set_printoptions, with its defaults.
struct PrintOptions {
  int precision = 4;                  ///< digits after the point
  std::int64_t threshold = 1000;      ///< larger tensors are summarised
  std::int64_t edgeitems = 3;         ///< elements shown at each end of a dimension in a summary
  std::int64_t linewidth = 80;        ///< characters before a row wraps
  std::optional<bool> sci_mode = {};  ///< 1.0000e+00; by default chosen by the values
};

/// Global: must not be called while another thread prints. A TensorError when precision is negative or over
/// 100, or edgeitems is not positive.
void set_printoptions(const PrintOptions& options);
PrintOptions printoptions();

/// PyTorch 1.13's output, character by character ("tensor([1., 2.], dtype=torch.float64)"); for float8,
/// PyTorch 2's. After grad_fn= the operation's name is ours, where PyTorch's is composed of others
/// (LayerNormBackward0, not NativeLayerNormBackward0).
std::string to_string(const Tensor& tensor, const PrintOptions& options = printoptions());
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

/// What names the operation that made a tensor, for printing. Autograd sets it: nothing below knows of
/// graphs.
using GradFnName = std::string_view (*)(const Tensor&);
void set_grad_fn_name(GradFnName name);

}  // namespace lectern
