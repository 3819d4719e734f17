#include "ops/cross_entropy.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/cross_entropy.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/devices.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

/// A loss and what its gradient needs, in the compute dtype.
struct ClassLoss {
  Tensor loss;
  /// Per target, along a last dimension, the largest logit m and ln Σ e^(logit - m); undefined for nll_loss.
  /// Subtracting both from a logit counts as one operation.
  Tensor log_normalizer;
  Tensor total_weight;  ///< of all targets not ignored
};

/// Validated operands.
class Classified {
 public:
  Classified(std::string_view operation, const Tensor& logits, const Tensor& target,
             const ClassLossOptions& options)
      : operation_(operation), logits_(logits), dim_(logits.dim() > 1 ? 1 : 0), options_(options) {
    check_operands(target);
    const Tensor classes = target.to(int64);
    targets_ = uncounted([&] { return classes.contiguous(); });
    bytes_beside_logits_ = bytes_in_memory(classes) + bytes_in_memory(options.weight);
    if (!logits.is_cuda()) check_classes();
    weight_ = compute_operand(options.weight, computed());
  }

  std::string_view operation() const { return operation_; }
  const Tensor& logits() const { return logits_; }
  Dtype computed() const { return compute_dtype(logits_.dtype()); }
  bool is_smoothed() const { return options_.label_smoothing != 0; }
  /// Counts this, and the bytes read besides the logits; without targets nothing is read.
  void count(std::int64_t flops, std::int64_t bytes) const {
    if (targets_.numel() > 0) lectern::count(flops, bytes + bytes_beside_logits_);
  }
  /// One element per target, or several along a last dimension.
  Tensor make_target_tensor(std::int64_t width = 1) const {
    const Sizes sizes = targets_.sizes();
    return empty(width > 1 ? concat(sizes, {width}) : sizes,
                 {.dtype = computed(), .device = logits_.device()});
  }

  kernels::ClassLines lines() const {
    return {.sizes = logits_.sizes(),
            .dim = dim_,
            .logits = to_array(logits_),
            .targets = static_cast<const std::int64_t*>(targets_.data_ptr()),
            .weight = weight_.defined() ? weight_.data_ptr() : nullptr,
            .ignored = options_.ignore_index,
            .smoothing = options_.label_smoothing};
  }

  ClassLoss reduced(const Tensor& losses, const Tensor& normalizers, const Tensor& weights) const {
    const Tensor total = sum(weights);
    const Tensor loss = options_.reduction == LossReduction::unreduced ? losses
                        : options_.reduction == LossReduction::sum     ? sum(losses)
                                                                       : sum(losses) / total;
    return {loss.to(logits_.dtype()), normalizers, total};
  }

  /// The factor of each target's gradient: one each, or one for all.
  Tensor scales(const Tensor& grad, const ClassLoss& saved) const {
    const bool each = options_.reduction == LossReduction::unreduced;
    const Sizes expected = each ? targets_.sizes() : Sizes{};
    if (grad.sizes() != expected) {
      throw TensorError(operation_, "the gradient's shape", to_string(expected), to_string(grad.sizes()));
    }
    const Tensor scale = grad.to(computed());
    return options_.reduction == LossReduction::mean ? scale / saved.total_weight : scale;
  }

 private:
  void check_operands(const Tensor& target) const {
    const auto require = [&](bool holds, std::string_view argument, std::string_view expected,
                             std::string_view got) {
      if (!holds) throw TensorError(operation_, argument, expected, got);
    };
    const std::string shape = to_string(logits_.sizes());
    require(logits_.dim() > 0, "the input", "of one dimension or more", shape);
    require(logits_.is_floating_point(), "the input's dtype", "floating", name(logits_.dtype()));
    const bool as_bytes = target.dtype() == uint8 && logits_.dim() <= 2;
    require(target.dtype() == int64 || as_bytes, "the target's dtype", "int64: class indices",
            name(target.dtype()));
    check_same_device(operation_, logits_, target);
    Sizes expected = logits_.sizes();
    expected.erase(dim_);
    require(target.sizes() == expected, "the target's shape", to_string(expected) + " for an input " + shape,
            to_string(target.sizes()));
    const double smoothing = options_.label_smoothing;
    require(smoothing >= 0 && smoothing <= 1, "label_smoothing", "in [0, 1]", std::to_string(smoothing));
    if (!options_.weight.defined()) return;
    check_same_device(operation_, logits_, options_.weight);
    const Sizes classes{logits_.sizes()[dim_]};
    require(options_.weight.sizes() == classes, "the weight's shape", to_string(classes),
            to_string(options_.weight.sizes()));
  }

  void check_classes() const {
    const std::int64_t classes = logits_.sizes()[dim_];
    const auto* const begin = static_cast<const std::int64_t*>(targets_.data_ptr());
    const auto* const end = begin + targets_.numel();
    const auto* const wrong = std::find_if(begin, end, [&](std::int64_t target) {
      return target != options_.ignore_index && (target < 0 || target >= classes);
    });
    if (wrong == end) return;
    throw TensorError(operation_, "a target", "a class from 0 to " + std::to_string(classes - 1),
                      std::to_string(*wrong));
  }

  std::string_view operation_;
  Tensor logits_;
  std::size_t dim_;
  const ClassLossOptions& options_;
  Tensor targets_;
  Tensor weight_;
  std::int64_t bytes_beside_logits_ = 0;
};

ClassLoss cross_entropy_forward(const Tensor& logits, const Tensor& target, const ClassLossOptions& options) {
  const Classified operands("cross_entropy", logits, target, options);
  const Tensor losses = operands.make_target_tensor(), weights = operands.make_target_tensor();
  const Tensor normalizers = operands.make_target_tensor(2);
  if (target.numel() > 0) {
    kernels::cross_entropy(operands.operation(), logits.device(), operands.lines(), losses.data_ptr(),
                           normalizers.data_ptr(), weights.data_ptr());
  }
  operands.count((operands.is_smoothed() ? 7 : 4) * logits.numel(),
                 bytes_in_memory(logits) + losses.nbytes() + normalizers.nbytes() + weights.nbytes());
  return operands.reduced(losses, normalizers, weights);
}

/// (softmax(logits) - onehot) times the gradient of each target's loss, from logits and log_normalizer in one
/// pass.
Tensor cross_entropy_backward(const Tensor& grad, const Tensor& logits, const Tensor& target,
                              const ClassLoss& saved, const ClassLossOptions& options) {
  const Classified operands("cross_entropy_backward", logits, target, options);
  const Tensor given = operands.scales(grad, saved);
  const Tensor scales = uncounted([&] { return given.contiguous(); });
  const Tensor result = empty(logits.sizes(), {.dtype = logits.dtype(), .device = logits.device()});
  const bool each = options.reduction == LossReduction::unreduced;
  if (logits.numel() > 0) {
    kernels::cross_entropy_backward(operands.operation(), logits.device(), operands.lines(), to_array(result),
                                    saved.log_normalizer.data_ptr(), scales.data_ptr(), each);
  }
  operands.count(
      (operands.is_smoothed() ? 6 : 4) * logits.numel(),
      bytes_in_memory(logits) + saved.log_normalizer.nbytes() + bytes_in_memory(given) + result.nbytes());
  return result;
}

ClassLoss nll_loss_forward(const Tensor& log_probs, const Tensor& target, const ClassLossOptions& options) {
  const Classified operands("nll_loss", log_probs, target, options);
  const Tensor losses = operands.make_target_tensor(), weights = operands.make_target_tensor();
  if (target.numel() > 0) {
    kernels::nll_loss(operands.operation(), log_probs.device(), operands.lines(), losses.data_ptr(),
                      weights.data_ptr());
  }
  operands.count(target.numel(), target.numel() * log_probs.element_size() + 2 * losses.nbytes());
  return operands.reduced(losses, {}, weights);
}

/// 0 except at the targets.
Tensor nll_loss_backward(const Tensor& grad, const Tensor& log_probs, const Tensor& target,
                         const ClassLoss& saved, const ClassLossOptions& options) {
  const Classified operands("nll_loss_backward", log_probs, target, options);
  const Tensor given = operands.scales(grad, saved);
  const Tensor scales = uncounted([&] { return given.contiguous(); });
  const Tensor result = zeros(log_probs.sizes(), {.dtype = log_probs.dtype(), .device = log_probs.device()});
  const bool each = options.reduction == LossReduction::unreduced;
  if (log_probs.numel() > 0) {
    kernels::nll_loss_backward(operands.operation(), log_probs.device(), operands.lines(), to_array(result),
                               scales.data_ptr(), each);
  }
  operands.count(target.numel(), target.numel() * result.element_size() + bytes_in_memory(given));
  return result;
}

/// A loss, recorded; its gradient is backward(grad, logits, target, made, options).
template <typename Forward, typename Backward>
Tensor recorded(std::string_view name, const Forward& forward, const Backward& backward, const Tensor& logits,
                const Tensor& target, const ClassLossOptions& options) {
  ClassLoss made;
  return autograd::recorded(
      name, {&logits}, [&] { return (made = forward(logits, target, options)).loss; },
      [&] {
        ClassLossOptions unweighted = options;
        unweighted.weight = {};
        return autograd::formula(
            [=](const Tensor& grad, const Tensor& in, const Tensor& classes, const Tensor& log_normalizer,
                const Tensor& total_weight, const Tensor& weight) {
              ClassLossOptions given = unweighted;
              given.weight = weight;
              return backward(grad, in, classes, {{}, log_normalizer, total_weight}, given);
            },
            Saved(logits), Saved(target), Saved(made.log_normalizer), Saved(made.total_weight),
            Saved(options.weight));
      });
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const ClassLossOptions& options) {
  if (autocasts_to_float32(logits)) return cross_entropy(logits.to(float32), target, options);
  return recorded("cross_entropy", cross_entropy_forward, cross_entropy_backward, logits, target, options);
}
Tensor nll_loss(const Tensor& log_probs, const Tensor& target, const ClassLossOptions& options) {
  if (autocasts_to_float32(log_probs)) return nll_loss(log_probs.to(float32), target, options);
  return recorded("nll_loss", nll_loss_forward, nll_loss_backward, log_probs, target, options);
}

}  // namespace lectern
