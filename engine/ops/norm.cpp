
#include <limits>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<kernels::Reduction> norm_reduction(double p) {
  if (p == 0) return kernels::Reduction::count_nonzero;
  if (p == 1) return kernels::Reduction::sum_abs;
  if (p == 2) return kernels::Reduction::norm2;
  if (p == kInfinity) return kernels::Reduction::max_abs;
  if (p == -kInfinity) return kernels::Reduction::min_abs;
  return {};
}

/// grad x |x|^(p - 2) / result^(p - 1). For p = ±inf it is distributed evenly among the extremal elements;
/// where one is NaN, all are 0.
Tensor norm_backward(const Tensor& grad, const Tensor& x, const Tensor& result, double p, const Sizes& dims) {
  const Dtype computed = compute_dtype(result.dtype());
  const ReducedDims reduced("norm", x, dims);
  const Tensor whole = reduced.broadcastable(result, x.sizes()).to(computed);
  const Tensor zero = whole.eq(0).to(computed);
  const Tensor values = x.to(computed);
  const Tensor share = reduced.broadcastable(grad, x.sizes()).to(computed);
  if (p == 0) return zeros_like(x);
  if (p == 1) return sign(values).mul_(share).to(x.dtype());
  if (p == 2) return (values * (share / (whole + zero))).to(x.dtype());
  if (norm_reduction(p)) {
    const Tensor extremal = values.abs().eq(whole).logical_or_(isnan(values)).to(computed);
    return (sign(values) * extremal * (share / sum(extremal, dims, true))).to(x.dtype());
  }
  const Tensor powers = p < 2 ? sign(values) * (values.abs() + values.eq(0).to(computed)).pow(p - 1)
                              : values * values.abs().pow(p - 2);
  // A norm of 0 has no gradient: for p < 0 a single zero element causes that.
  const Tensor scale = share / (whole + zero).pow(p - 1) * (1 - zero);
  return (powers * scale).to(x.dtype());
}

}  // namespace

Tensor norm(const Tensor& x, double p, const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) {
  const Dtype result = autocast_dtype(kernels::Reduction::norm2, x, dtype).value_or(x.dtype());
  check_floating("norm", result);
  const ReducedDims reduced("norm", x, dims);
  return autograd::recorded(
      "norm", {&x},
      [&] {
        if (reduced.elements(x.sizes()) == 0)
          return zeros(reduced.result_sizes(x.sizes(), keepdim), {.dtype = result, .device = x.device()});
        if (const auto reduction = norm_reduction(p))
          return reduce("norm", *reduction, x, reduced, keepdim, result, result);
        return sum(x.to(compute_dtype(result)).abs().pow_(p), dims, keepdim).pow_(1 / p).to(result);
      },
      [&](const Tensor& out) { return autograd::formula(norm_backward, Saved(x), Saved(out), p, dims); });
}

}  // namespace lectern
