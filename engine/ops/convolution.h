#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

// Convolutions as the field uses the word: cross-correlations of `input` [N, in, length…] or [in, length…]
// with a `weight` [out, in / groups, kernel…], plus a `bias` [out] or none:
//
//   out[n, o, i…] = bias[o] + Σ weight[o, c, k…] input[n, c, i · stride + k · dilation…]
//
// over the channels c of o's group, with zeros for the elements of the padding. Each length becomes ⌊(length
// + padding − dilation (kernel − 1) − 1) / stride⌋ + 1, where padding counts both ends.
//
// On the CPU float32 goes through oneDNN, where it is there and the processor has AVX2; in layouts of its
// own, of which it keeps copies while it computes. On a GPU float32 goes through cuDNN, where it is found,
// unless cuda::set_cudnn_enabled(false): by the engine that it ranks first among those that always give the
// same bits, with up to 512 MiB of memory while it computes; in TF32 only where products are (allow_tf32(),
// device/cuda.h); not where one end is padded more than the other, nor, while a graph is being captured,
// sizes that it has not seen before.
// Otherwise the windows of the input are copied to the rows of one matrix for each group (im2col;
// Chellapilla, Puri, Simard (2006), "High Performance Convolutional Neural Networks for Document
// Processing"), which baddbmm() multiplies with the weight and adds to the bias: memory for weight[0].numel()
// · groups elements for each place of the result, once more in backward.
//
// Each way 2 · out.numel() · weight[0].numel() floating-point operations and the bytes of the operands and
// the result; with a bias out.numel() more, and its bytes. The gradients of input and weight cost as much
// each, that of the bias a sum. Autocast, integers, and errors of dtypes and devices are those of matmul
// (ops/matmul.h); with another number of threads results are those of products (device/threads.h).

namespace lectern {

/// How far each end of a dimension is padded: one size for all dimensions, one for each, "valid" (0), or
/// "same": so far that lengths stay, with one more at the end where the sum is odd; strides are 1 then.
struct ConvolutionPadding {
  ConvolutionPadding(std::initializer_list<std::int64_t> given) : sizes(given) {}
  ConvolutionPadding(std::string_view given) : mode(given) {}
  ConvolutionPadding(const char* given) : mode(given) {}

  Sizes sizes = {};
  std::string mode = {};  ///< empty with sizes
};

/// Sizes are one for all dimensions, or one for each.
struct ConvolutionOptions {
  Sizes stride = {1};
  ConvolutionPadding padding = {0};
  Sizes dilation = {1};
  std::int64_t groups = 1;  ///< in and out channels are divided into so many groups, each computed by itself
};

/// A TensorError for other shapes than those above, an option out of range, and windows larger than the
/// padded input.
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              const ConvolutionOptions& options = {});
Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              const ConvolutionOptions& options = {});

/// How much the options pad a convolution with this kernel, as pad() takes it. A TensorError naming
/// `operation` for a padding that is none.
Sizes convolution_pads(std::string_view operation, const Sizes& kernel, const ConvolutionOptions& options);

}  // namespace lectern
