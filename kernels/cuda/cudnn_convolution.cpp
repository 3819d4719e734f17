#include <array>
#include <compare>
#include <cstdint>
#include <memory>

#include "device/cuda.h"
#include "kernels/convolution.h"
#include "kernels/cuda/cudnn_convolution_graph.h"
#include "kernels/cuda/cudnn_plans.h"

namespace lectern::kernels::cuda {
namespace {

struct ConvolutionKey {
  int device;
  bool allows_tf32;
  ConvolutionForm form;

  friend auto operator<=>(const ConvolutionKey&, const ConvolutionKey&) = default;
};

using ConvolutionPlans = CudnnPlans<ConvolutionKey, ConvolutionTensors>;

ConvolutionPlans::Entry make_convolution_plan(const ConvolutionKey& key) {
  CudnnGraph graph;
  const ConvolutionTensors tensors = add_convolution(graph, key.form);
  return {tensors, graph.plan({lectern::cuda::cudnn_handle(), nullptr},
                              {!key.allows_tf32, kMostConvolutionWorkspace})};
}

bool run_convolution(CudnnDirection direction, const ConvolutionSizes& sizes, const float* input,
                     const float* weight, const float* output) {
  if (!lectern::cuda::cudnn_enabled() || sizes.padding_before != sizes.padding_after) return false;
  if (lectern::cuda::cudnn() == nullptr) return false;
  const ConvolutionKey key{lectern::cuda::current_device(), lectern::cuda::allow_tf32(),
                           convolution_form_of(direction, sizes)};
  const auto found = ConvolutionPlans::shared().find(key, make_convolution_plan);
  if (found.plan == nullptr) return false;
  CudnnMemory memory;
  memory.add(found.tensors.input, input);
  memory.add(found.tensors.weight, weight);
  memory.add(found.tensors.output, output);
  return ConvolutionPlans::shared().run(key, found.plan, memory);
}

}  // namespace

bool convolution_takes_bias() {
  return false;
}

bool convolution(const ConvolutionSizes& sizes, float* out, const float* input, const float* weight,
                 const float* bias) {
  return bias == nullptr && run_convolution(CudnnDirection::forward, sizes, input, weight, out);
}

bool convolution_input_gradient(const ConvolutionSizes& sizes, float* input_gradient, const float* gradient,
                                const float* weight) {
  return run_convolution(CudnnDirection::input_gradient, sizes, input_gradient, weight, gradient);
}

bool convolution_parameter_gradients(const ConvolutionSizes& sizes, float* weight_gradient,
                                     float* bias_gradient, const float* gradient, const float* input) {
  return bias_gradient == nullptr &&
         run_convolution(CudnnDirection::weight_gradient, sizes, input, weight_gradient, gradient);
}

}  // namespace lectern::kernels::cuda
