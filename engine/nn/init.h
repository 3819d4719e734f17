#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/generator.h"
#include "tensor/tensor.h"

// What parameters begin with: torch.nn.init. Each function changes a floating tensor in place, without a
// trace in the graph of gradients, and returns it. Random numbers are those of PyTorch (ops/random.h);
// without a generator they come from the default one of the device.
//
// A weight's fan-in is how many numbers each of its results is made from, its fan-out how many results each
// number goes to: of shape [out, in, k…], in · k… and out · k…. A TensorError for tensors of less than two
// dimensions.

namespace lectern::nn::init {

const Tensor& uniform_(const Tensor& tensor, double a = 0, double b = 1, Generator* generator = nullptr);
const Tensor& normal_(const Tensor& tensor, double mean = 0, double std = 1, Generator* generator = nullptr);
/// The normal distribution between a and b, which are not counted in standard deviations.
const Tensor& trunc_normal_(const Tensor& tensor, double mean = 0, double std = 1, double a = -2,
                            double b = 2, Generator* generator = nullptr);

const Tensor& constant_(const Tensor& tensor, const Scalar& value);
const Tensor& ones_(const Tensor& tensor);
const Tensor& zeros_(const Tensor& tensor);
/// Of a matrix: 1 on the diagonal, else 0.
const Tensor& eye_(const Tensor& tensor);

/// The factor by which a nonlinearity shrinks numbers, to be undone by the weights before it: "linear",
/// "sigmoid", "tanh", "relu", "leaky_relu" (with this slope below 0), "selu".
double calculate_gain(std::string_view nonlinearity, double slope = 0.01);

struct Fans {
  std::int64_t in, out;
};
Fans calculate_fan_in_and_fan_out(const Tensor& tensor);

/// Uniform between ±√3 std, or normal, with std = gain √(2 / (fan-in + fan-out)) (Glorot and Bengio 2010).
const Tensor& xavier_uniform_(const Tensor& tensor, double gain = 1, Generator* generator = nullptr);
const Tensor& xavier_normal_(const Tensor& tensor, double gain = 1, Generator* generator = nullptr);

struct KaimingOptions {
  double a = 0;                      ///< the slope of a leaky_relu below 0
  std::string_view mode = "fan_in";  ///< or "fan_out"
  std::string_view nonlinearity = "leaky_relu";
};
/// Uniform between ±√3 std, or normal, with std = gain / √fan (He et al. 2015).
const Tensor& kaiming_uniform_(const Tensor& tensor, const KaimingOptions& options = {},
                               Generator* generator = nullptr);
const Tensor& kaiming_normal_(const Tensor& tensor, const KaimingOptions& options = {},
                              Generator* generator = nullptr);

}  // namespace lectern::nn::init
