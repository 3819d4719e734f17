#include "ops/losses.h"

#include "autograd/record.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "ops/random.h"
#include "ops/reductions.h"
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

/// -ln σ(x) without overflow. Its gradient -σ(-x) is computed directly, as that of its parts does not exist
/// at 0.
Tensor negative_log_sigmoid(const Tensor& x) {
  return autograd::recorded(
      "negative_log_sigmoid", {&x}, [&] { return x.abs().neg().exp().log1p() + x.neg().relu(); },
      [&] {
        return autograd::formula(
            [](const Tensor& grad, const Tensor& in) { return grad * in.neg().sigmoid().neg_(); }, Saved(x));
      });
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, LossReduction reduction) {
  const auto loss = [&](const auto&... in) { return mse_loss(in..., reduction); };
  if (autocasts_to_float32(x) || autocasts_to_float32(target)) return autocast_to_float32(loss, x, target);
  if (are_float8(x, target)) return compute_in_float32(loss, x, target);
  const Dtype common = promoted_dtype(x, target);
  if (!is_floating_point(common)) throw TensorError("mse_loss", "the dtype", "floating", name(common));
  if (x.dtype() != target.dtype()) return mse_loss(x.to(common), target.to(common), reduction);
  return reduced((x - target).square(), reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target, const Tensor& weight,
                                        LossReduction reduction, const Tensor& pos_weight) {
  const auto loss = [&](const Tensor& logits, const Tensor& targets, const Tensor& each,
                        const Tensor& positive) {
    return binary_cross_entropy_with_logits(logits, targets, each, reduction, positive);
  };
  if (autocasts_to_float32(x) || autocasts_to_float32(target))
    return autocast_to_float32(loss, x, target, weight, pos_weight);
  if (x.sizes() != target.sizes()) {
    throw TensorError("binary_cross_entropy_with_logits", "the target's shape", to_string(x.sizes()),
                      to_string(target.sizes()));
  }
  if (are_float8(x, target, weight, pos_weight))
    return compute_in_float32(loss, x, target, weight, pos_weight);
  const Tensor true_losses = negative_log_sigmoid(x);
  const Tensor scaled = pos_weight.defined() ? true_losses * ((pos_weight - 1) * target + 1) : true_losses;
  const Tensor losses = (1 - target) * x + scaled;
  return reduced(weight.defined() ? losses * weight : losses, reduction);
}

Tensor dropout(const Tensor& x, double p, bool training, Generator* generator) {
  if (!(p >= 0 && p <= 1)) throw TensorError("dropout", "p", "in [0, 1]", number_text(p));
  if (!training || p == 0) return x;
  if (are_float8(x))
    return compute_in_float32([&](const Tensor& in) { return dropout(in, p, true, generator); }, x);
  const TensorOptions like{.dtype = x.dtype(), .device = x.device()};
  if (p == 1) return x * zeros({}, like);  // draws nothing, as in PyTorch
  const Tensor kept = empty(x.sizes(), like).bernoulli_(1 - p, generator);
  return x * kept.div_(1 - p);
}

}  // namespace lectern
