#include "ops/scan.h"

#include "autograd/record.h"
#include "device/counters.h"
#include "kernels/scan.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/dims.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

using kernels::Scan;

Tensor computed(std::string_view name, Scan scan, const Tensor& x, std::int64_t dim, Dtype result,
                bool reverse = false) {
  const std::size_t along = wrap_dim(name, dim, x.sizes().size());
  const Tensor in = result == bool_ ? x.to(bool_) : x;  // 0.5 is true, not the 0 that it is as an integer
  const Tensor out = empty(x.sizes(), {.dtype = result, .device = x.device()});
  const Tensor from = at_least_one_dim(in), to = at_least_one_dim(out);
  if (x.numel() > 0)
    kernels::scan(name, x.device(), scan, result, to.sizes(), along, to_array(to), to_array(from), reverse);
  count(x.numel(), bytes_in_memory(in) + out.nbytes());
  return out;
}

/// The cumulative sums from the end.
Tensor cumsum_backward(const Tensor& grad, std::int64_t dim, Dtype dtype) {
  return computed("cumsum", Scan::cumsum, grad, dim, grad.dtype(), true).to(dtype);
}

// Before the first zero of a line, x[k] has the gradient Σ grad[j] result[j] / x[k] of the j ≥ k. The first
// zero has that of the products that it alone makes 0, those before the second zero: Σ grad[j] Π x[i] of the
// other i ≤ j. Everything after it is multiplied by 0.
Tensor cumprod_backward(const Tensor& grad, const Tensor& x, const Tensor& result, std::int64_t dim) {
  const Dtype computed = compute_dtype(grad.dtype());
  const Tensor factors = x.to(computed), grads = grad.to(computed);
  const Tensor zero = x.eq(0);
  const Tensor zeros = zero.cumsum(dim);
  const Tensor before = zeros.eq(0), until_second = zeros.eq(1);
  const Tensor terms = where(before, grads * result.to(computed), 0);
  const Tensor others = cumprod(where(zero, 1, factors), dim);
  const Tensor first = sum(where(until_second, grads * others, 0), {dim}, true);
  return where(before, cumsum_backward(terms, dim, computed) / factors,
               where(logical_and(until_second, zero), first, 0))
      .to(x.dtype());
}

/// Σ grad[j] e^(x - result[j]) over j from each element on, for the gradients above 0 and those below: of
/// either the logarithms are summed, which cannot overflow.
Tensor logcumsumexp_backward(const Tensor& grad, const Tensor& x, const Tensor& result, std::int64_t dim) {
  const Dtype common = compute_dtype(grad.dtype());
  const Tensor grads = grad.to(common), results = result.to(common), values = x.to(common);
  const auto terms_of = [&](const Tensor& parts) {
    const Tensor logs = where(parts > 0, parts, 0).log_().sub_(results);
    return computed("logcumsumexp", Scan::logcumsumexp, logs, dim, common, true).add_(values).exp_();
  };
  return (terms_of(grads) - terms_of(-grads)).to(x.dtype());
}

template <Scan kScan>
Tensor recorded(std::string_view name, CastPolicy policy, const Tensor& x, std::int64_t dim,
                std::optional<Dtype> dtype) {
  const Dtype result = autocast_dtype(policy, x, dtype).value_or(x.is_floating_point() ? x.dtype() : int64);
  if constexpr (kScan == Scan::logcumsumexp) check_floating(name, result);
  return autograd::recorded(
      name, {&x}, [&] { return computed(name, kScan, x, dim, result); },
      [&](const Tensor& out) {
        if constexpr (kScan == Scan::cumsum) {
          return autograd::formula(cumsum_backward, dim, x.dtype());
        } else if constexpr (kScan == Scan::logcumsumexp) {
          return autograd::formula(logcumsumexp_backward, Saved(x), Saved(out), dim);
        } else {
          return autograd::formula(cumprod_backward, Saved(x), Saved(out), dim);
        }
      });
}

}  // namespace

#define LECTERN_ROW(name, Functor, autocast)                                   \
  Tensor name(const Tensor& x, std::int64_t dim, std::optional<Dtype> dtype) { \
    return recorded<Scan::name>(#name, CastPolicy::autocast, x, dim, dtype);   \
  }                                                                            \
  Tensor Tensor::name(std::int64_t dim, std::optional<Dtype> dtype) const {    \
    return lectern::name(*this, dim, dtype);                                   \
  }
LECTERN_SCANS(LECTERN_ROW)
#undef LECTERN_ROW

}  // namespace lectern
