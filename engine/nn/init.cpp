#include "nn/init.h"

#include <cmath>
#include <numbers>
#include <string>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "ops/random.h"
#include "tensor/creation.h"

namespace lectern::nn::init {
namespace {

double xavier_std(const Tensor& tensor, double gain) {
  const Fans fans = calculate_fan_in_and_fan_out(tensor);
  return gain * std::sqrt(2.0 / static_cast<double>(fans.in + fans.out));
}

double kaiming_std(std::string_view operation, const Tensor& tensor, const KaimingOptions& options) {
  if (options.mode != "fan_in" && options.mode != "fan_out") {
    throw TensorError(operation, "mode", "fan_in or fan_out", std::string(options.mode));
  }
  const Fans fans = calculate_fan_in_and_fan_out(tensor);
  const std::int64_t fan = options.mode == "fan_in" ? fans.in : fans.out;
  return calculate_gain(options.nonlinearity, options.a) / std::sqrt(static_cast<double>(fan));
}

}  // namespace

const Tensor& uniform_(const Tensor& tensor, double a, double b, Generator* generator) {
  const NoGradGuard no_grad;
  return tensor.uniform_(a, b, generator);
}

const Tensor& normal_(const Tensor& tensor, double mean, double std, Generator* generator) {
  const NoGradGuard no_grad;
  return tensor.normal_(mean, std, generator);
}

const Tensor& trunc_normal_(const Tensor& tensor, double mean, double std, double a, double b,
                            Generator* generator) {
  const NoGradGuard no_grad;
  return lectern::trunc_normal_(tensor, mean, std, a, b, generator);
}

const Tensor& constant_(const Tensor& tensor, const Scalar& value) {
  const NoGradGuard no_grad;
  return tensor.fill_(value);
}

const Tensor& eye_(const Tensor& tensor) {
  if (tensor.dim() != 2) {
    throw TensorError("eye_", "the tensor", "a matrix", "of shape " + to_string(tensor.sizes()));
  }
  const NoGradGuard no_grad;
  return tensor.copy_(
      eye(tensor.size(0), tensor.size(1), {.dtype = tensor.dtype(), .device = tensor.device()}));
}

double calculate_gain(std::string_view nonlinearity, double slope) {
  if (nonlinearity == "linear" || nonlinearity == "sigmoid") return 1;
  if (nonlinearity == "tanh") return 5.0 / 3;
  if (nonlinearity == "relu") return std::sqrt(2.0);
  if (nonlinearity == "leaky_relu") return std::sqrt(2.0 / (1 + slope * slope));
  if (nonlinearity == "selu") return 0.75;
  throw TensorError("calculate_gain", "nonlinearity", "linear, sigmoid, tanh, relu, leaky_relu or selu",
                    std::string(nonlinearity));
}

Fans calculate_fan_in_and_fan_out(const Tensor& tensor) {
  if (tensor.dim() < 2) {
    throw TensorError("calculate_fan_in_and_fan_out", "the tensor", "of two dimensions or more",
                      "of shape " + to_string(tensor.sizes()));
  }
  std::int64_t field = 1;
  for (std::int64_t dim = 2; dim < tensor.dim(); ++dim) field *= tensor.size(dim);
  return {.in = tensor.size(1) * field, .out = tensor.size(0) * field};
}

const Tensor& xavier_uniform_(const Tensor& tensor, double gain, Generator* generator) {
  const double bound = std::numbers::sqrt3 * xavier_std(tensor, gain);
  return uniform_(tensor, -bound, bound, generator);
}

const Tensor& xavier_normal_(const Tensor& tensor, double gain, Generator* generator) {
  return normal_(tensor, 0, xavier_std(tensor, gain), generator);
}

const Tensor& kaiming_uniform_(const Tensor& tensor, const KaimingOptions& options, Generator* generator) {
  if (tensor.numel() == 0) return tensor;
  const double bound = std::numbers::sqrt3 * kaiming_std("kaiming_uniform_", tensor, options);
  return uniform_(tensor, -bound, bound, generator);
}

const Tensor& kaiming_normal_(const Tensor& tensor, const KaimingOptions& options, Generator* generator) {
  if (tensor.numel() == 0) return tensor;
  return normal_(tensor, 0, kaiming_std("kaiming_normal_", tensor, options), generator);
}

}  // namespace lectern::nn::init
