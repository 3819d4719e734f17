#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "tensor/tensor.h"

namespace lectern {

/// How tensors are printed: the arguments of torch.set_printoptions, with its defaults.
struct PrintOptions {
  int precision = 4;                  ///< digits after the point
  std::int64_t threshold = 1000;      ///< tensors of more elements are summarised
  std::int64_t edgeitems = 3;         ///< elements shown at each end of a dimension in a summary
  std::int64_t linewidth = 80;        ///< characters, beyond which rows go on in a new line
  std::optional<bool> sci_mode = {};  ///< 1.0000e+00; by default where the numbers ask for it
};

/// Of the whole program: not while another thread prints. A TensorError when precision is negative or over
/// 100, or edgeitems is not positive.
void set_printoptions(const PrintOptions& options);
PrintOptions printoptions();

/// What PyTorch 1.13 prints, character by character ("tensor([1., 2.], dtype=torch.float64)"); float8 as
/// PyTorch 2 does.
std::string to_string(const Tensor& tensor, const PrintOptions& options = printoptions());
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace lectern
