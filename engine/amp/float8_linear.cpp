#include "amp/float8_linear.h"

#include <string>

#include "autograd/autocast_mode.h"
#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/float8_matmul.h"
#include "ops/selection.h"
#include "ops/sum_to.h"
#include "tensor/creation.h"
#include "tensor/finfo.h"

namespace lectern::amp {
namespace {

using autograd::Gradients;
using autograd::Saved;

Tensor product(const ScaledTensor& a, const ScaledTensor& b) {
  return float8_matmul(a.numbers, b.numbers).mul_(a.scale * b.scale);
}

/// All dimensions but the last one as rows.
ScaledTensor rows(const ScaledTensor& x) {
  return {x.numbers.dim() == 1 ? x.numbers.unsqueeze(0) : x.numbers.flatten(0, -2), x.scale};
}

ScaledTensor transposed(const ScaledTensor& x) {
  return {x.numbers.t(), x.scale};
}

/// Keeps both for backward().
struct SavedScaled {
  explicit SavedScaled(const ScaledTensor& x) : numbers(x.numbers), scale(x.scale) {}
  ScaledTensor get() const { return {numbers.get(), scale.get()}; }

  Saved numbers, scale;
};

void check(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (weight.dim() != 2 || x.dim() == 0 || x.size(-1) != weight.size(1)) {
    throw TensorError("float8_linear", "x and weight", "of shapes […, in] and [out, in]",
                      to_string(x.sizes()) + " and " + to_string(weight.sizes()));
  }
  if (bias.defined() && bias.sizes() != Sizes{weight.size(0)}) {
    throw TensorError("float8_linear", "bias", "of shape [" + std::to_string(weight.size(0)) + "]",
                      to_string(bias.sizes()));
  }
}

}  // namespace

ScaledTensor quantize_float8(const Tensor& x, Dtype dtype) {
  if (!is_float8(dtype) || !x.is_floating_point())
    throw TensorError("quantize_float8", "dtype", "float8_e4m3fn or float8_e5m2, of a floating tensor",
                      std::string(name(dtype)));
  const NoGradGuard no_grad;
  const AutocastGuard off{AutocastMode()};
  const Tensor numbers = x.to(float32);
  if (x.numel() == 0) return {numbers.to(dtype), ones({}, {.device = x.device()})};
  const Tensor largest = numbers.abs().amax();
  const Tensor scale = where(largest.eq(0), 1, largest / finfo(dtype).max);
  return {(numbers / scale).to(dtype), scale};
}

Tensor float8_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check(x, weight, bias);
  const AutocastGuard off{AutocastMode()};
  ScaledTensor inputs, weights;
  return autograd::recorded(
      "float8_linear", {&x, &weight, &bias},
      [&] {
        inputs = quantize_float8(x, float8_e4m3fn);
        weights = quantize_float8(weight, float8_e4m3fn);
        const Tensor sums = product(inputs, transposed(weights));
        return (bias.defined() ? sums.add_(bias) : sums).to(x.dtype());
      },
      [&] {
        return [inputs = SavedScaled(inputs), weights = SavedScaled(weights), x_dtype = x.dtype(),
                weight_dtype = weight.dtype(), bias_dtype = bias.defined() ? bias.dtype() : float32](
                   const Tensor& grad, Gradients& gradients) {
          const ScaledTensor given = quantize_float8(grad, float8_e5m2);
          gradients.of(0, [&] { return product(given, weights.get()).to(x_dtype); });
          gradients.of(1,
                       [&] { return product(transposed(rows(given)), rows(inputs.get())).to(weight_dtype); });
          gradients.of(2, [&] { return sum_to(grad, {weights.get().numbers.size(0)}).to(bias_dtype); });
        };
      });
}

}  // namespace lectern::amp
