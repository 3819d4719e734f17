#include "kernels/attention.h"
#include "kernels/convolution.h"

// What cuDNN would do, where its headers were not there.

namespace lectern::kernels::cuda {

bool library_attention_takes(const AttentionProblem&, const AttentionMatrices&) {
  return false;
}

bool library_attention(const AttentionProblem&, const AttentionMatrices&, float*) {
  return false;
}

bool library_attention_backward(const AttentionProblem&, const AttentionMatrices&, const float*,
                                const AttentionMatrices&, const AttentionGradients&) {
  return false;
}

bool convolution_takes_bias() {
  return false;
}

bool convolution(const ConvolutionSizes&, float*, const float*, const float*, const float*) {
  return false;
}

bool convolution_input_gradient(const ConvolutionSizes&, float*, const float*, const float*) {
  return false;
}

bool convolution_parameter_gradients(const ConvolutionSizes&, float*, float*, const float*, const float*) {
  return false;
}

}  // namespace lectern::kernels::cuda
