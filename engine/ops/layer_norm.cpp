#include "ops/layer_norm.h"

#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/norms.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/devices.h"
#include "ops/reductions.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/finfo.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

using kernels::Norm;

std::string_view operation_name(Norm kind) {
  return kind == Norm::layer ? "layer_norm" : "rms_norm";
}

/// The input as rows to normalise.
class Rows {
 public:
  Rows(Norm kind, const Tensor& x, const Sizes& normalized_shape) : kind_(kind), statistics_(x.sizes()) {
    const std::size_t rank = x.sizes().size(), normalized = normalized_shape.size();
    bool fits = normalized > 0 && normalized <= rank;
    for (std::size_t d = 0; fits && d < normalized; ++d) {
      const std::size_t dim = rank - normalized + d;
      fits = x.sizes()[dim] == normalized_shape[d];
      shape_.length *= normalized_shape[d];
      statistics_[dim] = 1;
    }
    if (!fits) {
      throw TensorError(operation_name(kind), "the last dimensions of x", to_string(normalized_shape),
                        "those of " + to_string(x.sizes()));
    }
    check_floating(operation_name(kind), x.dtype());
    for (const std::int64_t size : statistics_) shape_.rows *= size;
  }

  std::string_view operation() const { return operation_name(kind_); }
  const kernels::NormShape& shape() const { return shape_; }
  const Sizes& statistics() const { return statistics_; }
  Tensor matrix(const Tensor& x) const {
    return uncounted([&] { return x.reshape({shape_.rows, shape_.length}); });
  }

  void check(std::string_view argument, const Tensor& x, const Tensor& parameter, const Sizes& shape) const {
    if (!parameter.defined()) return;
    check_same_device(operation(), x, parameter);
    if (parameter.sizes() != shape) {
      throw TensorError(operation(), argument, "of shape " + to_string(shape), to_string(parameter.sizes()));
    }
  }

 private:
  Norm kind_;
  kernels::NormShape shape_{1, 1};
  Sizes statistics_;
};

void* data_or_null(const Tensor& x) {
  return x.defined() ? x.data_ptr() : nullptr;
}

template <typename... Tensors>
std::int64_t total_bytes(const Tensors&... tensors) {
  return (bytes_in_memory(tensors) + ...);
}

/// A result and what its gradient needs: in the compute dtype, with size 1 in the normalised dimensions.
struct Normalized {
  Tensor result;
  Tensor mean;  ///< undefined for rms_norm
  Tensor rstd;  ///< 1 / √(variance + eps), or of the mean square
};

Normalized forward(Norm kind, const Tensor& x, const Sizes& normalized_shape, const Tensor& weight,
                   const Tensor& bias, double eps) {
  const Rows rows(kind, x, normalized_shape);
  rows.check("weight", x, weight, normalized_shape);
  rows.check("bias", x, bias, normalized_shape);
  const Dtype computed = compute_dtype(x.dtype());
  const TensorOptions options{.dtype = computed, .device = x.device()};
  Normalized made{empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()}),
                  kind == Norm::layer ? empty(rows.statistics(), options) : Tensor(),
                  empty(rows.statistics(), options)};
  if (x.numel() == 0) return made;
  count(((kind == Norm::layer ? 6 : 3) + (weight.defined() ? 1 : 0) + (bias.defined() ? 1 : 0)) * x.numel(),
        total_bytes(x, weight, bias, made.result, made.mean, made.rstd));
  const Tensor in = rows.matrix(x), out = rows.matrix(made.result);
  const Tensor weights = compute_operand(weight, computed), biases = compute_operand(bias, computed);
  const kernels::NormParameters parameters{data_or_null(weights), data_or_null(biases)};
  const kernels::NormStatistics statistics{data_or_null(made.mean), made.rstd.data_ptr()};
  kernels::norm(rows.operation(), x.device(), kind, rows.shape(), eps, to_array(out), to_array(in),
                parameters, statistics);
  return made;
}

/// Parameters; undefined where no gradient is needed.
struct Wanted {
  Tensor weight;
  Tensor bias;
};

struct NormGradients {
  Tensor x;
  Tensor weight, bias;  ///< undefined where not needed
};

/// With g = grad * weight and n = (x - mean) rstd: (g - mean(g) - n mean(g n)) rstd, for rms_norm with mean =
/// mean(g) = 0; the sums of grad * n and of grad over the other dimensions, in an order that depends on the
/// shape and, on a GPU, on how many multiprocessors it has.
NormGradients backward(Norm kind, const Tensor& grad, const Tensor& x, const Sizes& normalized_shape,
                       const Normalized& saved, const Tensor& weight, const Wanted& wanted) {
  const Rows rows(kind, x, normalized_shape);
  rows.check("the gradient", x, grad, x.sizes());
  const Dtype computed = compute_dtype(x.dtype());
  const Tensor result = empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()});
  if (x.numel() == 0) {
    const auto nothing = [](const Tensor& parameter) {
      return parameter.defined() ? zeros_like(parameter) : Tensor();
    };
    return {result, nothing(wanted.weight), nothing(wanted.bias)};
  }
  const Tensor out = rows.matrix(result), grads = rows.matrix(grad), in = rows.matrix(x);
  const Tensor weights = compute_operand(weight, computed);
  const std::int64_t parts = kernels::norm_gradient_parts.query(x.device(), rows.shape(), x.dtype());
  const auto partial_sums = [&](const Tensor& parameter) {
    if (!parameter.defined()) return Tensor();
    return empty({parts, rows.shape().length}, {.dtype = computed, .device = x.device()});
  };
  const Tensor weight_parts = partial_sums(wanted.weight), bias_parts = partial_sums(wanted.bias);
  const kernels::NormParameters gradients{data_or_null(weight_parts), data_or_null(bias_parts)};
  const kernels::NormStatistics statistics{data_or_null(saved.mean), data_or_null(saved.rstd)};
  const int parameter_flops =
      (weight.defined() ? 1 : 0) + (wanted.weight.defined() ? 2 : 0) + (wanted.bias.defined() ? 1 : 0);
  count(((kind == Norm::layer ? 9 : 6) + parameter_flops) * x.numel(),
        total_bytes(grad, x, weight, saved.mean, saved.rstd, result, wanted.weight, wanted.bias));
  kernels::norm_backward(rows.operation(), x.device(), kind, rows.shape(), to_array(out), to_array(grads),
                         to_array(in), data_or_null(weights), statistics, gradients);
  const auto total = [&](const Tensor& partial, const Tensor& parameter) {
    if (!parameter.defined()) return Tensor();
    return uncounted([&] { return sum(partial, {0}).to(parameter.dtype()).view(normalized_shape); });
  };
  return {result, total(weight_parts, wanted.weight), total(bias_parts, wanted.bias)};
}

/// The result, recorded.
Tensor normalized(Norm kind, const Tensor& x, const Sizes& normalized_shape, const Tensor& weight,
                  const Tensor& bias, double eps) {
  Normalized made;
  return autograd::recorded(
      operation_name(kind), {&x, &weight, &bias},
      [&] { return (made = forward(kind, x, normalized_shape, weight, bias, eps)).result; },
      [&] {
        return [kind, normalized_shape, x = Saved(x), mean = Saved(made.mean), rstd = Saved(made.rstd),
                weight = Saved(weight), bias = Saved(bias)](const Tensor& grad, Gradients& gradients) {
          const Tensor scale = weight.get();
          const Wanted wanted{gradients.needs(1) ? scale : Tensor(),
                              gradients.needs(2) ? bias.get() : Tensor()};
          const NormGradients sums =
              backward(kind, grad, x.get(), normalized_shape, {{}, mean.get(), rstd.get()}, scale, wanted);
          gradients.add(0, sums.x);
          gradients.add(1, sums.weight);
          gradients.add(2, sums.bias);
        };
      });
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Sizes& normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps) {
  if (autocasts_to_float32(x)) {
    return autocast_to_float32(
        [&](const Tensor& in, const auto&... affine) {
          return layer_norm(in, normalized_shape, affine..., eps);
        },
        x, weight, bias);
  }
  return normalized(Norm::layer, x, normalized_shape, weight, bias, eps);
}

Tensor rms_norm(const Tensor& x, const Sizes& normalized_shape, const Tensor& weight,
                std::optional<double> eps) {
  if (autocasts_to_float32(x)) {
    return autocast_to_float32(
        [&](const Tensor& in, const Tensor& scale) { return rms_norm(in, normalized_shape, scale, eps); }, x,
        weight);
  }
  const double added = eps ? *eps : x.is_floating_point() ? finfo(x.dtype()).eps : 0;
  return normalized(Norm::rms, x, normalized_shape, weight, {}, added);
}

}  // namespace lectern
