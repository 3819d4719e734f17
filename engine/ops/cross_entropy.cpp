#include "ops/cross_entropy.h"

#include <string>

#include "autograd/record.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/autocast.h"
#include "ops/class_operands.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "ops/reductions.h"
#include "ops/softmax.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

/// Autocast's float32 needs no copy of the logits: what reads them converts each to it.
Dtype dtype_of_loss(const Tensor& logits) {
  return autocasts_to_float32(logits) ? float32 : logits.dtype();
}

ClassLoss cross_entropy_forward(const Tensor& logits, const Tensor& target, const ClassLossOptions& options) {
  const ClassOperands operands("cross_entropy", logits, target, options);
  const Tensor losses = operands.make_target_tensor(), weights = operands.make_target_tensor();
  const Tensor normalizers = operands.make_target_tensor(2);
  if (target.numel() > 0) {
    kernels::cross_entropy(operands.operation(), logits.device(), operands.lines(), losses.data_ptr(),
                           normalizers.data_ptr(), weights.data_ptr());
  }
  operands.count((operands.is_smoothed() ? 7 : 4) * logits.numel(),
                 bytes_in_memory(logits) + losses.nbytes() + normalizers.nbytes() + weights.nbytes());
  return operands.reduced(dtype_of_loss(logits), losses, normalizers, weights);
}

/// (softmax(logits) - onehot) times the gradient of each target's loss, from logits and log_normalizer in one
/// pass.
Tensor cross_entropy_backward(const Tensor& grad, const Tensor& logits, const Tensor& target,
                              const ClassLoss& saved, const ClassLossOptions& options) {
  const ClassOperands operands("cross_entropy_backward", logits, target, options);
  const ClassFactors factors = operands.factors(grad, saved);
  const Tensor result = empty(logits.sizes(), {.dtype = logits.dtype(), .device = logits.device()});
  if (logits.numel() > 0) {
    kernels::cross_entropy_backward(operands.operation(), logits.device(), operands.lines(), to_array(result),
                                    saved.log_normalizer.data_ptr(), factors.scales);
  }
  operands.count((operands.is_smoothed() ? 6 : 4) * logits.numel(),
                 bytes_in_memory(logits) + saved.log_normalizer.nbytes() + factors.bytes + result.nbytes());
  return result;
}

ClassLoss nll_loss_forward(const Tensor& log_probs, const Tensor& target, const ClassLossOptions& options) {
  const ClassOperands operands("nll_loss", log_probs, target, options);
  const Tensor losses = operands.make_target_tensor(), weights = operands.make_target_tensor();
  if (target.numel() > 0) {
    kernels::nll_loss(operands.operation(), log_probs.device(), operands.lines(), losses.data_ptr(),
                      weights.data_ptr());
  }
  operands.count(target.numel(), target.numel() * log_probs.element_size() + 2 * losses.nbytes());
  return operands.reduced(log_probs.dtype(), losses, {}, weights);
}

/// 0 except at the targets.
Tensor nll_loss_backward(const Tensor& grad, const Tensor& log_probs, const Tensor& target,
                         const ClassLoss& saved, const ClassLossOptions& options) {
  const ClassOperands operands("nll_loss_backward", log_probs, target, options);
  const ClassFactors factors = operands.factors(grad, saved);
  const Tensor result = zeros(log_probs.sizes(), {.dtype = log_probs.dtype(), .device = log_probs.device()});
  if (log_probs.numel() > 0) {
    kernels::nll_loss_backward(operands.operation(), log_probs.device(), operands.lines(), to_array(result),
                               factors.scales);
  }
  operands.count(target.numel(), target.numel() * result.element_size() + factors.bytes);
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

void check_probabilities_of_classes(const Tensor& logits, const ClassLossOptions& options) {
  const auto require = [](bool holds, std::string_view argument, std::string_view expected,
                          const std::string& got) {
    if (!holds) throw TensorError("cross_entropy", argument, expected, got);
  };
  require(logits.dim() > 0, "the input", "of one dimension or more", to_string(logits.sizes()));
  check_floating("cross_entropy", logits.dtype());
  require(options.ignore_index < 0, "ignore_index", "left out for a target of probabilities",
          std::to_string(options.ignore_index));
  check_class_options("cross_entropy", options, logits.size(logits.dim() > 1 ? 1 : 0));
}

Tensor cross_entropy_of_probabilities(const Tensor& logits, const Tensor& target,
                                      const ClassLossOptions& options) {
  check_probabilities_of_classes(logits, options);
  const Dtype dtype = promoted_dtype(logits, target), computed = compute_dtype(dtype);
  const std::int64_t dim = logits.dim() > 1 ? 1 : 0, classes = logits.size(dim);
  Tensor shares = target.to(computed);
  if (const double smoothing = options.label_smoothing; smoothing != 0)
    shares = shares * (1 - smoothing) + smoothing / static_cast<double>(classes);
  Tensor terms = log_softmax(logits.to(computed), dim) * shares;
  if (options.weight.defined()) {
    Sizes sizes = Sizes::filled(logits.sizes().size(), 1);
    sizes[static_cast<std::size_t>(dim)] = classes;
    terms = terms * options.weight.to(computed).reshape(sizes);
  }
  if (options.reduction == LossReduction::unreduced) return sum(terms, {dim}).neg().to(dtype);
  const Tensor total = sum(terms).neg();
  if (options.reduction == LossReduction::sum) return total.to(dtype);
  return (total / (static_cast<double>(logits.numel()) / static_cast<double>(classes))).to(dtype);
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const ClassLossOptions& options) {
  if (target.is_floating_point() && target.sizes() == logits.sizes()) {
    if (!autocasts_to_float32(logits)) return cross_entropy_of_probabilities(logits, target, options);
    const auto loss = [&](const Tensor& x, const Tensor& shares) {
      return cross_entropy_of_probabilities(x, shares, options);
    };
    return autocast_to_float32(loss, logits, target);
  }
  return recorded("cross_entropy", cross_entropy_forward, cross_entropy_backward, logits, target, options);
}
Tensor nll_loss(const Tensor& log_probs, const Tensor& target, const ClassLossOptions& options) {
  if (autocasts_to_float32(log_probs)) return nll_loss(log_probs.to(float32), target, options);
  return recorded("nll_loss", nll_loss_forward, nll_loss_backward, log_probs, target, options);
}

}  // namespace lectern
