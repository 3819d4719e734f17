#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ops/windows.h"
#include "tensor/tensor.h"

// Convolutions as products of matrices.

namespace lectern {

/// A convolution over the last dimensions of its input, as its options mean it.
struct Convolution {
  std::string_view operation;
  std::int64_t groups;
  std::vector<Window> windows;  ///< along each dimension
  Sizes pads;                   ///< as pad() takes them
};

/// input [N, in, length…], weight and bias as in ops/convolution.h, whose windows fit the padded input.
Tensor composed_convolution(const Convolution& convolution, const Tensor& input, const Tensor& weight,
                            const Tensor& bias);

}  // namespace lectern
