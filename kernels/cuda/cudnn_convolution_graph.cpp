#include "kernels/cuda/cudnn_convolution_graph.h"

#include <array>

namespace lectern::kernels::cuda {
namespace {

/// Of the dimensions of a convolution over one or two; `one` for the height that the former has not.
std::array<std::int64_t, 2> height_and_width(const ConvolutionSizes& sizes,
                                             const std::array<std::int64_t, 2>& values, std::int64_t one) {
  if (sizes.dims == 2) return values;
  return {one, values[0]};
}

}  // namespace

ConvolutionForm convolution_form_of(CudnnDirection direction, const ConvolutionSizes& sizes) {
  const auto input = height_and_width(sizes, sizes.input, 1);
  const auto kernel = height_and_width(sizes, sizes.kernel, 1);
  const auto output = height_and_width(sizes, sizes.output, 1);
  return {.direction = direction,
          .input = {sizes.batch, sizes.in_channels, input[0], input[1]},
          .weight = {sizes.out_channels, sizes.in_channels / sizes.groups, kernel[0], kernel[1]},
          .output = {sizes.batch, sizes.out_channels, output[0], output[1]},
          .windows = {.stride = height_and_width(sizes, sizes.stride, 1),
                      .dilation = height_and_width(sizes, sizes.dilation, 1),
                      .padding = height_and_width(sizes, sizes.padding_before, 0)}};
}

ConvolutionTensors add_convolution(CudnnGraph& graph, const ConvolutionForm& form) {
  const auto tensor = [&](const CudnnGraph::Sizes& sizes) {
    return graph.tensor(CUDNN_DATA_FLOAT, CudnnGraph::Kind::memory, sizes);
  };
  const ConvolutionTensors tensors{tensor(form.input), tensor(form.weight), tensor(form.output)};
  graph.convolution(form.direction, tensors.input, tensors.weight, tensors.output, form.windows);
  return tensors;
}

}  // namespace lectern::kernels::cuda
