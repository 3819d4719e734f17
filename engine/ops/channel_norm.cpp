#include "ops/channel_norm.h"

#include <string>

#include "autograd/record.h"
#include "base/noun.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/channel_norm.h"
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

using kernels::ChannelNorm;
using kernels::ChannelShape;

std::string_view norm_name(ChannelNorm kind) {
  return kind == ChannelNorm::groups ? "group_norm" : "batch_norm";
}

/// A normalisation of an input of these sizes.
struct Channels {
  ChannelNorm kind;
  Sizes sizes;
  std::int64_t groups;
  double eps;

  /// Without further dimensions channels are the columns of a matrix: planes of one element would take long.
  bool are_columns() const { return sizes.size() == 2 && kind != ChannelNorm::groups; }
  ChannelShape shape() const {
    std::int64_t length = 1;
    for (std::size_t d = 2; d < sizes.size(); ++d) length *= sizes[d];
    if (are_columns()) return {kind, 1, sizes[1], sizes[0], 1};
    return {kind, sizes[0], sizes[1], length, groups};
  }
  /// The planes as rows.
  Tensor matrix(const Tensor& x) const {
    return uncounted([&] {
      const ChannelShape planes = shape();
      return are_columns() ? x.t() : x.reshape({planes.planes(), planes.length});
    });
  }
};

void check_channels(ChannelNorm kind, const Tensor& x) {
  check_floating(norm_name(kind), x.dtype());
  if (x.dim() >= 2) return;
  throw TensorError(norm_name(kind), "x", "of shape [N, C, …]", "of shape " + to_string(x.sizes()));
}

/// One value per channel, or undefined.
void check_of_channels(ChannelNorm kind, std::string_view argument, const Tensor& x, const Tensor& vector) {
  if (!vector.defined()) return;
  check_same_device(norm_name(kind), x, vector);
  if (vector.sizes() != Sizes{x.size(1)})
    throw TensorError(norm_name(kind), argument, "of shape " + to_string(Sizes{x.size(1)}),
                      to_string(vector.sizes()));
}

/// A TensorError where all of x is one element for each of so many channels or groups.
void check_several(std::string_view operation, const std::string& part, const Tensor& x, std::int64_t parts) {
  if (x.numel() == 0 || x.numel() != parts) return;
  throw TensorError(operation, "the elements of each " + part, "more than one, to have a variance",
                    "those of shape " + to_string(x.sizes()));
}

void* values_of(const Tensor& x) {
  return x.defined() ? x.data_ptr() : nullptr;
}

template <typename... Tensors>
std::int64_t bytes_of_all(const Tensors&... tensors) {
  return (bytes_in_memory(tensors) + ...);
}

/// In the compute dtype, one value per set of planes.
struct SetMoments {
  Tensor mean, variance;

  kernels::ChannelStatistics pointers() const { return {mean.data_ptr(), variance.data_ptr()}; }
};

Tensor normalized_channels(const Channels& channels, const Tensor& x, const Tensor& weight,
                           const Tensor& bias, const SetMoments& moments) {
  const Tensor result = empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()});
  if (x.numel() == 0) return result;
  const Dtype computed = compute_dtype(x.dtype());
  const Tensor in = channels.matrix(x), out = channels.matrix(result);
  const Tensor weights = compute_operand(weight, computed), biases = compute_operand(bias, computed);
  const int statistics = channels.kind == ChannelNorm::given ? 0 : 4;
  count((statistics + 2 + (weight.defined() ? 1 : 0) + (bias.defined() ? 1 : 0)) * x.numel(),
        bytes_of_all(x, weight, bias, result, moments.mean, moments.variance));
  kernels::channel_norm(norm_name(channels.kind), x.device(), channels.shape(), channels.eps, to_array(out),
                        to_array(in), {values_of(weights), values_of(biases)}, moments.pointers());
  return result;
}

/// Which of the parameters' gradients are needed.
struct NeededSums {
  bool weight, bias;
};

struct ChannelGradients {
  Tensor x, weight, bias;
};

std::int64_t gradient_flops(const Channels& channels, bool weighted, const NeededSums& needed) {
  if (channels.kind != ChannelNorm::given) return 9 + (weighted ? 1 : 0);
  return 1 + (weighted ? 1 : 0) + (needed.weight ? 4 : 0) + (needed.bias ? 1 : 0);
}

ChannelGradients channel_gradients(const Channels& channels, const Tensor& grad, const Tensor& x,
                                   const Tensor& weight, const Tensor& bias, const SetMoments& moments,
                                   const NeededSums& needed) {
  const TensorOptions computed{.dtype = compute_dtype(x.dtype()), .device = x.device()};
  ChannelGradients made{empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()}), {}, {}};
  if (x.numel() == 0) {
    if (needed.weight) made.weight = zeros_like(weight);
    if (needed.bias) made.bias = zeros_like(bias);
    return made;
  }
  const ChannelShape shape = channels.shape();
  const Tensor out = channels.matrix(made.x), grads = channels.matrix(grad), in = channels.matrix(x);
  const Tensor weights = compute_operand(weight, *computed.dtype);
  const bool sums_any = shape.kind != ChannelNorm::given || needed.weight || needed.bias;
  const Tensor sums = sums_any ? empty({2, shape.batch, shape.channels}, computed) : Tensor();
  kernels::channel_norm_backward(norm_name(channels.kind), x.device(), shape, channels.eps, to_array(out),
                                 to_array(grads), to_array(in), values_of(weights), moments.pointers(),
                                 values_of(sums));
  const auto over_the_batch = [&](std::int64_t which, const Tensor& parameter) {
    return uncounted([&] { return sum(sums[which], {0}).to(parameter.dtype()); });
  };
  if (needed.weight) made.weight = over_the_batch(0, weight);
  if (needed.bias) made.bias = over_the_batch(1, bias);
  count(gradient_flops(channels, weight.defined(), needed) * x.numel(),
        bytes_of_all(grad, weight, moments.variance, made.x, made.weight, made.bias));
  if (shape.kind != ChannelNorm::given || needed.weight) count(0, bytes_of_all(x, moments.mean));
  return made;
}

Tensor recorded_norm(const Channels& channels, const Tensor& x, const Tensor& weight, const Tensor& bias,
                     const SetMoments& moments) {
  return autograd::recorded(
      norm_name(channels.kind), {&x, &weight, &bias},
      [&] { return normalized_channels(channels, x, weight, bias, moments); },
      [&] {
        return
            [channels, x = Saved(x), weight = Saved(weight), bias = Saved(bias), mean = Saved(moments.mean),
             variance = Saved(moments.variance)](const Tensor& grad, Gradients& gradients) {
              const ChannelGradients made =
                  channel_gradients(channels, grad, x.get(), weight.get(), bias.get(),
                                    {mean.get(), variance.get()}, {gradients.needs(1), gradients.needs(2)});
              gradients.add(0, made.x);
              gradients.add(1, made.weight);
              gradients.add(2, made.bias);
            };
      });
}

SetMoments room_for(const Channels& channels, const Tensor& x) {
  const TensorOptions options{.dtype = compute_dtype(x.dtype()), .device = x.device()};
  const std::int64_t sets = channels.shape().sets();
  return {empty({sets}, options), empty({sets}, options)};
}

/// Lets the running statistics go towards those of a batch, `count` elements of each channel.
void track_batch(const RunningStatistics& running, const SetMoments& moments, std::int64_t count,
                 double share) {
  const NoGradGuard no_grad;
  const auto go_towards = [&](const Tensor& average, const Tensor& batch, double scale) {
    average.mul_(1 - share).add_((batch * (share * scale)).to(average.dtype()));
  };
  go_towards(running.mean, moments.mean, 1);
  go_towards(running.variance, moments.variance, static_cast<double>(count) / static_cast<double>(count - 1));
}

}  // namespace

Tensor batch_norm(const Tensor& x, const RunningStatistics& running, const Tensor& weight, const Tensor& bias,
                  const BatchNormalization& options) {
  const Channels channels{options.training ? ChannelNorm::batch : ChannelNorm::given, x.sizes(), 1,
                          options.eps};
  check_channels(channels.kind, x);
  check_of_channels(channels.kind, "the running mean", x, running.mean);
  check_of_channels(channels.kind, "the running variance", x, running.variance);
  check_of_channels(channels.kind, "weight", x, weight);
  check_of_channels(channels.kind, "bias", x, bias);
  if (!options.training) {
    if (!running.mean.defined() || !running.variance.defined())
      throw TensorError("batch_norm", "the running statistics", "defined, unless in training", "undefined");
    const Dtype computed = compute_dtype(x.dtype());
    return recorded_norm(
        channels, x, weight, bias,
        {compute_operand(running.mean, computed), compute_operand(running.variance, computed)});
  }
  check_several("batch_norm", "channel", x, x.size(1));
  const SetMoments moments = room_for(channels, x);
  const Tensor result = recorded_norm(channels, x, weight, bias, moments);
  if (running.mean.defined() && x.numel() > 0)
    track_batch(running, moments, x.numel() / x.size(1), options.momentum);
  return result;
}

Tensor group_norm(const Tensor& x, std::int64_t groups, const Tensor& weight, const Tensor& bias,
                  double eps) {
  if (autocasts_to_float32(x)) {
    return autocast_to_float32(
        [&](const Tensor& in, const auto&... affine) { return group_norm(in, groups, affine..., eps); }, x,
        weight, bias);
  }
  const Channels channels{ChannelNorm::groups, x.sizes(), groups, eps};
  check_channels(channels.kind, x);
  check_of_channels(channels.kind, "weight", x, weight);
  check_of_channels(channels.kind, "bias", x, bias);
  if (groups < 1 || x.size(1) % groups != 0)
    throw TensorError("group_norm", "the groups", "a divisor of the " + with_noun(x.size(1), "channel"),
                      std::to_string(groups));
  check_several("group_norm", "group", x, groups);
  return recorded_norm(channels, x, weight, bias, room_for(channels, x));
}

}  // namespace lectern
