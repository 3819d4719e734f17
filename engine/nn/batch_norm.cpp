#include "nn/batch_norm.h"

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "nn/repr.h"
#include "ops/channel_norm.h"
#include "ops/elementwise.h"
#include "tensor/creation.h"

namespace lectern::nn {

BatchNorm::BatchNorm(std::int64_t num_features, const BatchNormOptions& options, std::int64_t least_dims,
                     std::int64_t most_dims)
    : num_features_(num_features),
      eps_(options.eps),
      momentum_(options.momentum),
      least_dims_(least_dims),
      most_dims_(most_dims) {
  const TensorOptions factory{.dtype = options.dtype, .device = options.device};
  if (options.affine) {
    weight = Parameter(ones({num_features}, factory));
    bias = Parameter(zeros({num_features}, factory));
  }
  if (options.track_running_stats) {
    running_mean = zeros({num_features}, factory);
    running_var = ones({num_features}, factory);
    num_batches_tracked = zeros({}, {.dtype = int64, .device = options.device});
  }
  LECTERN_REGISTER(weight, bias, running_mean, running_var, num_batches_tracked);
}

void BatchNorm::reset_running_stats() const {
  if (!running_mean.defined()) return;
  running_mean.zero_();
  running_var.fill_(1);
  num_batches_tracked.zero_();
}

Tensor BatchNorm::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) { return forward(in); });
}

void BatchNorm::check_input(const Tensor& x) const {
  if (x.dim() >= least_dims_ && x.dim() <= most_dims_ && x.size(1) == num_features_) return;
  const std::string channels = std::to_string(num_features_);
  throw TensorError(name(), "the input",
                    most_dims_ == 4 ? "of shape [N, " + channels + ", H, W]"
                                    : "of shape [N, " + channels + "] or [N, " + channels + ", L]",
                    "of shape " + to_string(x.sizes()));
}

Tensor BatchNorm::forward(const Tensor& x) const {
  check_input(x);
  const bool is_tracked = running_mean.defined();
  BatchNormalization options{
      .training = is_training() || !is_tracked, .momentum = momentum_.value_or(0), .eps = eps_};
  if (is_training() && is_tracked) {
    const NoGradGuard no_grad;
    num_batches_tracked.add_(1);
    if (!momentum_) options.momentum = 1 / static_cast<double>(num_batches_tracked.item<std::int64_t>());
  }
  return batch_norm(x, {running_mean, running_var}, weight, bias, options);
}

std::string BatchNorm::extra_repr() const {
  return std::to_string(num_features_) + ", eps=" + repr(eps_) +
         ", momentum=" + (momentum_ ? repr(*momentum_) : "None") + ", affine=" + repr(weight.defined()) +
         ", track_running_stats=" + repr(running_mean.defined());
}

}  // namespace lectern::nn
