#include "nn/linear.h"

#include <cmath>

#include "base/tensor_error.h"
#include "nn/init.h"
#include "nn/repr.h"
#include "ops/linear.h"
#include "tensor/creation.h"

namespace lectern::nn {

Linear::Linear(std::int64_t in_features, std::int64_t out_features, const LinearOptions& options) {
  const TensorOptions factory{.dtype = options.dtype, .device = options.device};
  weight = Parameter(empty({out_features, in_features}, factory));
  if (options.bias) bias = Parameter(empty({out_features}, factory));
  LECTERN_REGISTER(weight, bias);
  init::kaiming_uniform_(weight, {.a = std::sqrt(5.0)});
  const double bound = in_features > 0 ? 1 / std::sqrt(static_cast<double>(in_features)) : 0;
  if (options.bias) init::uniform_(bias, -bound, bound);
}

Linear::Linear(const Parameter& shared_weight, const Parameter& shared_bias)
    : weight(shared_weight), bias(shared_bias) {
  if (weight.dim() != 2) {
    throw TensorError("Linear", "the weight", "a matrix", "of shape " + to_string(weight.sizes()));
  }
  if (bias.defined() && bias.sizes() != Sizes{out_features()}) {
    throw TensorError("Linear", "the shape of the bias", to_string(Sizes{out_features()}),
                      to_string(bias.sizes()));
  }
  LECTERN_REGISTER(weight, bias);
}

Tensor Linear::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) { return linear(in, weight, bias); });
}

std::string Linear::extra_repr() const {
  return "in_features=" + std::to_string(in_features()) + ", out_features=" + std::to_string(out_features()) +
         ", bias=" + repr(bias.defined());
}

}  // namespace lectern::nn
