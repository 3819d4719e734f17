#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/generator.h"
#include "tensor/tensor.h"

// Parameter initialisation: torch.nn.init. Each function fills a floating tensor in place, without recording,
// and returns it. Random values are PyTorch's (ops/random.h); without a generator they come from the device's
// default one.
//
// A weight's fan-in is the number of inputs to each of its outputs, its fan-out the number of outputs of each
// input: for shape [out, in, k…], in · k… and out · k…. A TensorError for tensors with fewer than two
// dimensions.

namespace lectern::nn::init {

const Tensor& uniform_(const Tensor& tensor, double a = 0, double b = 1, Generator* generator = nullptr);
const Tensor& normal_(const Tensor& tensor, double mean = 0, double std = 1, Generator* generator = nullptr);
/// The normal distribution truncated to [a, b], which are absolute, not in standard deviations.
const Tensor& trunc_normal_(const Tensor& tensor, double mean = 0, double std = 1, double a = -2,
                            double b = 2, Generator* generator = nullptr);

const Tensor& constant_(const Tensor& tensor, const Scalar& value);
inline const Tensor& ones_(const Tensor& tensor) {
  return constant_(tensor, 1);
}
inline const Tensor& zeros_(const Tensor& tensor) {
  return constant_(tensor, 0);
}
/// The identity matrix.
const Tensor& eye_(const Tensor& tensor);

/// The gain that compensates for a nonlinearity in the weights before it: "linear", "sigmoid", "tanh",
/// "relu", "leaky_relu" (with this negative slope), "selu".
double calculate_gain(std::string_view nonlinearity, double slope = 0.01);

struct Fans {
  std::int64_t in, out;
};
Fans calculate_fan_in_and_fan_out(const Tensor& tensor);

/// Uniform in ±√3 std, or normal, with std = gain √(2 / (fan-in + fan-out)) (Glorot and Bengio 2010).
const Tensor& xavier_uniform_(const Tensor& tensor, double gain = 1, Generator* generator = nullptr);
const Tensor& xavier_normal_(const Tensor& tensor, double gain = 1, Generator* generator = nullptr);

struct KaimingOptions {
  double a = 0;                      ///< the negative slope of leaky_relu
  std::string_view mode = "fan_in";  ///< or "fan_out"
  std::string_view nonlinearity = "leaky_relu";
};
/// Uniform in ±√3 std, or normal, with std = gain / √fan (He et al. 2015).
const Tensor& kaiming_uniform_(const Tensor& tensor, const KaimingOptions& options = {},
                               Generator* generator = nullptr);
const Tensor& kaiming_normal_(const Tensor& tensor, const KaimingOptions& options = {},
                              Generator* generator = nullptr);

}  // namespace lectern::nn::init
