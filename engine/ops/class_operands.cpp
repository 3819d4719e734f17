#include "ops/class_operands.h"

#include <algorithm>
#include <string>

#include "base/number_text.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/devices.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {

TotalLoss total_loss(std::string_view operation, Dtype dtype, const Tensor& losses, const Tensor& weights,
                     LossReduction reduction) {
  const TensorOptions options{.dtype = dtype, .device = losses.device()};
  const TotalLoss total{empty({}, options), empty({}, {.dtype = losses.dtype(), .device = losses.device()})};
  const bool is_mean = reduction == LossReduction::mean;
  kernels::class_totals(operation, losses.device(),
                        {.computed = losses.dtype(),
                         .losses = losses.data_ptr(),
                         .weights = weights.data_ptr(),
                         .count = losses.numel(),
                         .is_mean = is_mean,
                         .loss = total.loss.data_ptr(),
                         .loss_dtype = dtype,
                         .total_weight = total.weight.data_ptr()});
  // As two sums, a division and a conversion.
  const std::int64_t size = losses.element_size();
  count(losses.numel() + weights.numel() + is_mean,
        losses.nbytes() + weights.nbytes() + (is_mean ? 5 : 2) * size +
            (dtype == losses.dtype() ? 0 : size + total.loss.nbytes()));
  return total;
}

ClassOperands::ClassOperands(std::string_view operation, const Tensor& logits, const Tensor& target,
                             const ClassLossOptions& options)
    : operation_(operation), logits_(logits), dim_(logits.dim() > 1 ? 1 : 0), options_(options) {
  check_operands(target);
  const Tensor classes = target.to(int64);
  targets_ = uncounted([&] { return classes.contiguous(); });
  bytes_beside_logits_ = bytes_in_memory(classes) + bytes_in_memory(options.weight);
  if (!logits.is_cuda()) check_classes();
  weight_ = compute_operand(options.weight, computed());
}

void ClassOperands::count(std::int64_t flops, std::int64_t bytes) const {
  if (targets_.numel() > 0) lectern::count(flops, bytes + bytes_beside_logits_);
}

Tensor ClassOperands::make_target_tensor(std::int64_t width) const {
  const Sizes sizes = targets_.sizes();
  return empty(width > 1 ? concat(sizes, {width}) : sizes, {.dtype = computed(), .device = logits_.device()});
}

kernels::ClassLines ClassOperands::lines() const {
  return {.sizes = logits_.sizes(),
          .dim = dim_,
          .logits = to_array(logits_),
          .targets = static_cast<const std::int64_t*>(targets_.data_ptr()),
          .weight = weight_.defined() ? weight_.data_ptr() : nullptr,
          .ignored = options_.ignore_index,
          .smoothing = options_.label_smoothing};
}

ClassLoss ClassOperands::reduced(Dtype dtype, const Tensor& losses, const Tensor& normalizers,
                                 const Tensor& weights) const {
  if (options_.reduction == LossReduction::unreduced) return {losses.to(dtype), normalizers, {}};
  const TotalLoss total = total_loss(operation_, dtype, losses, weights, options_.reduction);
  return {total.loss, normalizers, total.weight};
}

ClassFactors ClassOperands::factors(const Tensor& grad, const ClassLoss& saved) const {
  const bool each = options_.reduction == LossReduction::unreduced;
  const Sizes expected = each ? targets_.sizes() : Sizes{};
  if (grad.sizes() != expected) {
    throw TensorError(operation_, "the gradient's shape", to_string(expected), to_string(grad.sizes()));
  }
  const Tensor given = grad.to(computed());
  const Tensor factors = uncounted([&] { return given.contiguous(); });
  const bool is_mean = options_.reduction == LossReduction::mean;
  if (is_mean) lectern::count(1, 3 * factors.nbytes());  // a division
  return {factors,
          {.factors = factors.data_ptr(),
           .each = each,
           .total_weight = is_mean ? saved.total_weight.data_ptr() : nullptr},
          bytes_in_memory(given)};
}

void check_class_options(std::string_view operation, const ClassLossOptions& options, std::int64_t classes) {
  const double smoothing = options.label_smoothing;
  if (!(smoothing >= 0 && smoothing <= 1))
    throw TensorError(operation, "label_smoothing", "in [0, 1]", number_text(smoothing));
  if (options.weight.defined() && options.weight.sizes() != Sizes{classes}) {
    throw TensorError(operation, "the weight's shape", to_string(Sizes{classes}),
                      to_string(options.weight.sizes()));
  }
}

void ClassOperands::check_operands(const Tensor& target) const {
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
  if (options_.weight.defined()) check_same_device(operation_, logits_, options_.weight);
  check_class_options(operation_, options_, logits_.sizes()[dim_]);
}

void ClassOperands::check_classes() const {
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

}  // namespace lectern
