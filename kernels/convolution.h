#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/kernel.h"

// Convolutions by libraries made for them, of contiguous float32 tensors: on the CPU oneDNN, on a GPU cuDNN
// 9, of tensors aligned to 16 bytes. They return false, with nothing done, where there is none. cuDNN takes
// only padding of the same size before and after.

namespace lectern::kernels {

/// The places of arrays are dimensions: one of them, or height and width.
struct ConvolutionSizes {
  std::size_t dims;
  std::int64_t batch, groups;
  std::int64_t in_channels, out_channels;  ///< of all groups
  std::array<std::int64_t, 2> input, kernel, output, stride, dilation, padding_before, padding_after;
};

/// Whether bias and bias_gradient below may be other than null: not for cuDNN.
LECTERN_KERNEL(bool, convolution_takes_bias);

/// out [batch, out_channels, output…] from input [batch, in_channels, input…], weight [out_channels,
/// in_channels / groups, kernel…] and bias [out_channels], or null.
LECTERN_KERNEL(bool, convolution, const ConvolutionSizes& sizes, float* out, const float* input,
               const float* weight, const float* bias);

/// The gradient of the input from that of the result.
LECTERN_KERNEL(bool, convolution_input_gradient, const ConvolutionSizes& sizes, float* input_gradient,
               const float* gradient, const float* weight);

/// The gradients of the weight and, unless it is null, the bias.
LECTERN_KERNEL(bool, convolution_parameter_gradients, const ConvolutionSizes& sizes, float* weight_gradient,
               float* bias_gradient, const float* gradient, const float* input);

}  // namespace lectern::kernels
