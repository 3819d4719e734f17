#include "nn/normalization.h"

#include "nn/repr.h"
#include "ops/layer_norm.h"
#include "tensor/creation.h"

namespace lectern::nn {

LayerNorm::LayerNorm(const Sizes& normalized_shape, const LayerNormOptions& options)
    : normalized_shape_(normalized_shape), eps_(options.eps) {
  if (options.elementwise_affine) {
    const TensorOptions factory{.dtype = options.dtype, .device = options.device};
    weight = Parameter(ones(normalized_shape, factory));
    bias = Parameter(zeros(normalized_shape, factory));
  }
  LECTERN_REGISTER(weight, bias);
}

Tensor LayerNorm::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) { return layer_norm(in, normalized_shape_, weight, bias, eps_); });
}

std::string LayerNorm::extra_repr() const {
  return repr(normalized_shape_) + ", eps=" + repr(eps_) + ", elementwise_affine=" + repr(weight.defined());
}

RMSNorm::RMSNorm(const Sizes& normalized_shape, const RMSNormOptions& options)
    : normalized_shape_(normalized_shape), eps_(options.eps) {
  if (options.elementwise_affine) {
    weight = Parameter(ones(normalized_shape, {.dtype = options.dtype, .device = options.device}));
  }
  LECTERN_REGISTER(weight);
}

Tensor RMSNorm::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) { return rms_norm(in, normalized_shape_, weight, eps_); });
}

std::string RMSNorm::extra_repr() const {
  return repr(normalized_shape_) + ", eps=" + (eps_ ? repr(*eps_) : "None") +
         ", elementwise_affine=" + repr(weight.defined());
}

}  // namespace lectern::nn
