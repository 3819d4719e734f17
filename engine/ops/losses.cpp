#include "ops/losses.h"

#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/random.h"
#include "ops/sum.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

Tensor reduced(const Tensor& losses, LossReduction reduction) {
  switch (reduction) {
    case LossReduction::mean:
      return mean(losses);
    case LossReduction::sum:
      return sum(losses);
    case LossReduction::unreduced:
      break;
  }
  return losses;
}

/// -ln σ(x), from numbers of which none overflows. Its gradient -σ(-x) is not that of its parts, which have
/// none at 0.
Tensor negative_log_sigmoid(const Tensor& x) {
  return autograd::recorded(
      "negative_log_sigmoid", {&x}, [&] { return x.abs().neg().exp().log1p() + x.neg().relu(); },
      [&] {
        return [x = autograd::Saved(x)](const Tensor& grad, autograd::Gradients& gradients) {
          gradients.add(0, grad * x.get().neg().sigmoid().neg_());
        };
      });
}

/// float32 instead of float8, which is rounded once, at the end.
Tensor widened(const Tensor& x) {
  return x.defined() && is_float8(x.dtype()) ? x.to(float32) : x;
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, LossReduction reduction) {
  if (is_float8(x.dtype()) && target.dtype() == x.dtype())
    return mse_loss(widened(x), widened(target), reduction).to(x.dtype());
  return reduced((x - target).square(), reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight,
                                        LossReduction reduction, const Tensor& pos_weight) {
  if (x.sizes() != target.sizes()) {
    throw TensorError("binary_cross_entropy_with_logits", "the target's shape", to_string(x.sizes()),
                      to_string(target.sizes()));
  }
  if (is_float8(x.dtype()) && target.dtype() == x.dtype()) {
    return binary_cross_entropy_with_logits(widened(x), widened(target), widened(weight), reduction,
                                            widened(pos_weight))
        .to(x.dtype());
  }
  const Tensor of_true = negative_log_sigmoid(x);
  const Tensor scaled = pos_weight.defined() ? of_true * ((pos_weight - 1) * target + 1) : of_true;
  const Tensor losses = (1 - target) * x + scaled;
  return reduced(weight.defined() ? losses * weight : losses, reduction);
}

Tensor dropout(const Tensor& x, double p, bool training, Generator* generator) {
  if (!(p >= 0 && p <= 1)) throw TensorError("dropout", "p", "in [0, 1]", std::to_string(p));
  if (!training || p == 0) return x;
  if (is_float8(x.dtype())) return dropout(widened(x), p, training, generator).to(x.dtype());
  const Tensor kept =
      empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()}).bernoulli_(1 - p, generator);
  if (p < 1) kept.div_(1 - p);
  return x * kept;
}

}  // namespace lectern
