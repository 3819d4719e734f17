#include "amp/float8_linear.h"

#include <optional>
#include <string>

#include "autograd/autocast_mode.h"
#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/float8_matmul.h"
#include "ops/linear.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "tensor/creation.h"
#include "tensor/finfo.h"

namespace lectern::amp {
namespace {

Tensor product(const ScaledTensor& a, const ScaledTensor& b) {
  return float8_matmul(a.elements, b.elements).mul_(a.scale * b.scale);
}

ScaledTensor rows(const ScaledTensor& x) {
  return {as_rows(x.elements), x.scale};
}

ScaledTensor transposed(const ScaledTensor& x) {
  return {x.elements.t(), x.scale};
}

/// A scaled tensor saved for backward().
struct SavedScaledTensor {
  explicit SavedScaledTensor(const ScaledTensor& x) : elements(x.elements), scale(x.scale) {}
  ScaledTensor get() const { return {elements.get(), scale.get()}; }

  Saved elements, scale;
};

void check_floating(std::string_view operation, std::string_view argument, const Tensor& x) {
  if (!x.is_floating_point())
    throw TensorError(operation, "the dtype of " + std::string(argument), "floating", name(x.dtype()));
}

}  // namespace

ScaledTensor quantize_float8(const Tensor& x, Dtype dtype) {
  if (!is_float8(dtype))
    throw TensorError("quantize_float8", "dtype", "float8_e4m3fn or float8_e5m2", name(dtype));
  check_floating("quantize_float8", "x", x);
  const NoGradGuard no_grad;
  const AutocastGuard autocast_off{AutocastMode()};
  const Tensor elements = x.to(float32);
  if (x.numel() == 0) return {elements.to(dtype), ones({}, {.device = x.device()})};
  const Tensor largest = elements.abs().amax();
  // If float32 rounded the quotient to few bits or to 0, other elements would overflow.
  const Tensor ratio = clamp(largest / finfo(dtype).max, Scalar(finfo(float32).tiny), std::nullopt);
  const Tensor scale = where(largest.eq(0), 1, ratio);
  return {(elements / scale).to(dtype), scale};
}

Tensor float8_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check_linear_shapes("float8_linear", x, weight, bias);
  check_floating("float8_linear", "x", x);
  check_floating("float8_linear", "weight", weight);
  if (bias.defined()) check_floating("float8_linear", "bias", bias);
  const AutocastGuard autocast_off{AutocastMode()};
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
        return [inputs = SavedScaledTensor(inputs), weights = SavedScaledTensor(weights), x_dtype = x.dtype(),
                weight_dtype = weight.dtype(), bias_dtype = bias.defined() ? bias.dtype() : float32](
                   const Tensor& grad, Gradients& gradients) {
          const ScaledTensor scaled_grad = quantize_float8(grad, float8_e5m2);
          gradients.add(0, [&] { return product(scaled_grad, weights.get()).to(x_dtype); });
          gradients.add(
              1, [&] { return product(transposed(rows(scaled_grad)), rows(inputs.get())).to(weight_dtype); });
          gradients.add(2, [&] { return sum_to(grad, {weights.get().elements.size(0)}).to(bias_dtype); });
        };
      });
}

}  // namespace lectern::amp
