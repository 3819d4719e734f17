#pragma once

#include <compare>
#include <cstdint>

#include "kernels/convolution.h"
#include "kernels/cuda/cudnn_graph.h"

namespace lectern::kernels::cuda {

/// Engines that want more memory are not used.
inline constexpr std::int64_t kMostConvolutionWorkspace = std::int64_t{512} << 20;

/// Over height and width, of contiguous float32 tensors; over one dimension, the height is 1.
struct ConvolutionForm {
  CudnnDirection direction;
  CudnnGraph::Sizes input, weight, output;
  CudnnWindows windows;

  friend auto operator<=>(const ConvolutionForm&, const ConvolutionForm&) = default;
};

/// Of sizes whose padding is the same before and after.
ConvolutionForm convolution_form_of(CudnnDirection direction, const ConvolutionSizes& sizes);

struct ConvolutionTensors {
  CudnnGraph::TensorNumber input, weight, output;
};

/// Adds the convolution to an empty graph.
ConvolutionTensors add_convolution(CudnnGraph& graph, const ConvolutionForm& form);

}  // namespace lectern::kernels::cuda
