#include "nn/batch_norm.h"

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "nn/channels.h"
#include "nn/repr.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/layer_norm.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

/// All dimensions but that of the channels.
Sizes beside_channels(const Tensor& x) {
  Sizes dims{0};
  for (std::int64_t d = 2; d < x.dim(); ++d) dims.push_back(d);
  return dims;
}

}  // namespace

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
  const bool has_stats = running_mean.defined();
  if (!is_training() && has_stats) return by_running_stats(x);
  if (is_training() && x.numel() == x.size(1) && x.numel() > 0)
    throw TensorError(name(), "in training the elements of each channel", "more than one",
                      "those of shape " + to_string(x.sizes()));
  if (is_training() && has_stats) track(x);
  return by_the_batch(x);
}

Tensor BatchNorm::by_the_batch(const Tensor& x) const {
  const Tensor rows = x.transpose(0, 1);
  const std::int64_t width = num_features_ == 0 ? 0 : x.numel() / num_features_;
  const Tensor normal = layer_norm(rows.reshape({num_features_, width}), {width}, {}, {}, eps_)
                            .view(rows.sizes())
                            .transpose(0, 1);
  if (!weight.defined()) return normal.to(x.dtype());
  return scaled(normal, weight, bias).to(x.dtype());
}

Tensor BatchNorm::by_running_stats(const Tensor& x) const {
  const Dtype dtype = compute_dtype(x.dtype());
  Tensor scale = rsqrt(running_var.to(dtype) + eps_);
  if (weight.defined()) scale = scale * weight.to(dtype);
  Tensor shift = running_mean.to(dtype).neg() * scale;
  if (bias.defined()) shift = shift + bias.to(dtype);
  return scaled(x, scale, shift).to(x.dtype());
}

void BatchNorm::track(const Tensor& x) const {
  const NoGradGuard no_grad;
  num_batches_tracked.add_(1);
  if (x.numel() == 0) return;
  const double share =
      momentum_ ? *momentum_ : 1 / static_cast<double>(num_batches_tracked.item<std::int64_t>());
  const Tensor values = x.detach().to(compute_dtype(x.dtype()));
  const auto go_towards = [&](const Tensor& running, const Tensor& of_batch) {
    running.mul_(1 - share).add_((of_batch * share).to(running.dtype()));
  };
  go_towards(running_mean, mean(values, beside_channels(x)));
  go_towards(running_var, var(values, beside_channels(x)));
}

std::string BatchNorm::extra_repr() const {
  return std::to_string(num_features_) + ", eps=" + repr(eps_) +
         ", momentum=" + (momentum_ ? repr(*momentum_) : "None") + ", affine=" + repr(weight.defined()) +
         ", track_running_stats=" + repr(running_mean.defined());
}

}  // namespace lectern::nn
