#include "ops/losses.h"

#include "autograd/record.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "tensor/layout.h"

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

/// As PyTorch's losses, which broadcast both sides first, so that one of no dimensions counts like any other.
Dtype dtype_of_differences(const Tensor& x, const Tensor& target) {
  return promote_types(x.dtype(), target.dtype());
}

void check_promoted(std::string_view operation, const Tensor& x, const Tensor& target) {
  const Dtype common = dtype_of_differences(x, target);
  if (!is_floating_point(common)) throw TensorError(operation, "the dtype", "floating", name(common));
}

/// A TensorError unless the weight is undefined, or broadcasts to the shape of x.
void check_weight(std::string_view operation, std::string_view argument, const Tensor& weight,
                  const Tensor& x) {
  if (!weight.defined() || broadcast_sizes(operation, x.sizes(), weight.sizes()) == x.sizes()) return;
  throw TensorError(operation, argument, "broadcast to the input's shape, " + to_string(x.sizes()),
                    "of shape " + to_string(weight.sizes()));
}

enum class LossDtype : std::uint8_t { promoted, of_input };

/// loss(x - target), computed in the promoted dtype, then reduced in `dtype`.
template <typename Loss>
Tensor loss_of_differences(const Tensor& x, const Tensor& target, LossReduction reduction, const Loss& loss,
                           LossDtype dtype = LossDtype::promoted) {
  const auto again = [&](const Tensor& a, const Tensor& b) {
    return loss_of_differences(a, b, reduction, loss, dtype);
  };
  if (autocasts_to_float32(x) || autocasts_to_float32(target)) return autocast_to_float32(again, x, target);
  if (are_float8(x, target)) return compute_in_float32(again, x, target);
  const Dtype common = dtype_of_differences(x, target);
  const Tensor losses = loss(x.to(common) - target.to(common));
  return reduced(dtype == LossDtype::of_input ? losses.to(x.dtype()) : losses, reduction);
}

/// scale (d² / 2 or, beyond ±delta, delta (|d| - delta / 2)). With c, d within these bounds, both are
/// scale c (d - c / 2), with the derivative scale c.
Tensor huber_of(const Tensor& differences, double delta, double scale) {
  const auto scaled = [=](const Tensor& x) { return scale == 1 ? x : x.mul_(scale); };
  return autograd::recorded(
      "huber_loss", {&differences},
      [&] {
        const Tensor near = clamp(differences, -delta, delta);
        return scaled((differences - near * 0.5).mul_(near));
      },
      [&] {
        return autograd::formula(
            [=](const Tensor& grad, const Tensor& d) { return grad * scaled(clamp(d, -delta, delta)); },
            Saved(differences));
      });
}

void check_probabilities(const Tensor& x) {
  const bool holds = uncounted([&] { return all((x >= 0).logical_and(x <= 1)).item<bool>(); });
  if (!holds) throw TensorError("binary_cross_entropy", "an element of the input is not in [0, 1]");
}

/// -(t ln x + (1 - t) ln(1 - x)), with gradients that are finite for x of 0 and 1.
Tensor binary_losses(const Tensor& x, const Tensor& target) {
  return autograd::recorded(
      "binary_cross_entropy", {&x, &target},
      [&] {
        const Tensor false_term = x.neg().log1p_().clamp_min_(-100).mul_(target - 1);
        return false_term.sub_(x.log().clamp_min_(-100).mul_(target));
      },
      [&] {
        return [x = Saved(x), target = Saved(target, x.requires_grad())](const Tensor& grad,
                                                                         Gradients& gradients) {
          gradients.add(0, [&] {
            const Tensor p = x.get();
            return grad * (p - target.get()) / ((1 - p) * p).clamp_min_(1e-12);
          });
          gradients.add(1, [&] {
            const Tensor p = x.get();
            return grad * (p.neg().log1p_() - p.log());
          });
        };
      });
}

}  // namespace

Tensor mse_loss(const Tensor& x, const Tensor& target, LossReduction reduction) {
  check_promoted("mse_loss", x, target);
  return loss_of_differences(x, target, reduction, [](const Tensor& d) { return d.square(); });
}

Tensor l1_loss(const Tensor& x, const Tensor& target, LossReduction reduction) {
  if (reduction == LossReduction::mean) check_promoted("l1_loss", x, target);
  return loss_of_differences(x, target, reduction, [](const Tensor& d) { return d.abs(); });
}

Tensor huber_loss(const Tensor& x, const Tensor& target, LossReduction reduction, double delta) {
  if (!(delta > 0)) throw TensorError("huber_loss", "delta", "above 0", number_text(delta));
  check_floating("huber_loss", x.dtype());
  return loss_of_differences(
      x, target, reduction, [=](const Tensor& d) { return huber_of(d, delta, 1); }, LossDtype::of_input);
}

Tensor smooth_l1_loss(const Tensor& x, const Tensor& target, LossReduction reduction, double beta) {
  if (!(beta >= 0)) throw TensorError("smooth_l1_loss", "beta", "at least 0", number_text(beta));
  check_promoted("smooth_l1_loss", x, target);
  if (beta == 0) return l1_loss(x, target, reduction);
  return loss_of_differences(x, target, reduction,
                             [=](const Tensor& d) { return huber_of(d, beta, 1 / beta); });
}

Tensor kl_div(const Tensor& x, const Tensor& target, KlDivReduction reduction, bool log_target) {
  const auto again = [&](const Tensor& a, const Tensor& b) { return kl_div(a, b, reduction, log_target); };
  if (autocasts_to_float32(x) || autocasts_to_float32(target)) return autocast_to_float32(again, x, target);
  if (are_float8(x, target)) return compute_in_float32(again, x, target);
  check_floating("kl_div", x.dtype());
  check_floating("kl_div", target.dtype());
  const Tensor terms = log_target ? target.exp() * (target - x) : xlogy(target, target) - target * x;
  switch (reduction) {
    case KlDivReduction::unreduced:
      return terms;
    case KlDivReduction::mean:
      return mean(terms);
    case KlDivReduction::sum:
      return sum(terms);
    case KlDivReduction::batchmean:
      break;
  }
  return x.dim() == 0 ? sum(terms) : sum(terms) / x.size(0);
}

Tensor binary_cross_entropy(const Tensor& x, const Tensor& target, const Tensor& weight,
                            LossReduction reduction) {
  const auto loss = [&](const Tensor& probabilities, const Tensor& targets, const Tensor& each) {
    return binary_cross_entropy(probabilities, targets, each, reduction);
  };
  if (autocasts_to_float32(x) || autocasts_to_float32(target))
    return autocast_to_float32(loss, x, target, weight);
  if (x.sizes() != target.sizes()) {
    throw TensorError("binary_cross_entropy", "the target's shape", to_string(x.sizes()),
                      to_string(target.sizes()));
  }
  check_floating("binary_cross_entropy", x.dtype());
  if (x.dtype() != target.dtype())
    throw TensorError("binary_cross_entropy", "the target's dtype", name(x.dtype()), name(target.dtype()));
  check_weight("binary_cross_entropy", "weight", weight, x);
  if (x.element_size() < 4) return compute_in_float32(loss, x, target, weight);
  if (!x.is_cuda()) check_probabilities(x);
  const Tensor losses = binary_losses(x, target);
  return reduced(weight.defined() ? losses * weight : losses, reduction);
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
  check_floating("binary_cross_entropy_with_logits", x.dtype());
  check_weight("binary_cross_entropy_with_logits", "weight", weight, x);
  check_weight("binary_cross_entropy_with_logits", "pos_weight", pos_weight, x);
  if (are_float8(x, target, weight, pos_weight))
    return compute_in_float32(loss, x, target, weight, pos_weight);
  const Tensor log_probabilities = logsigmoid(x);
  const Tensor scaled =
      pos_weight.defined() ? log_probabilities * ((pos_weight - 1) * target + 1) : log_probabilities;
  const Tensor losses = (1 - target) * x - scaled;
  return reduced(weight.defined() ? losses * weight : losses, reduction);
}

}  // namespace lectern
