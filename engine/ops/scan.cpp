#include "ops/scan.h"

#include "autograd/record.h"
#include "device/counters.h"
#include "kernels/scan.h"
#include "ops/autocast.h"
#include "ops/dims.h"
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
    kernels::scan(name, x.device(), scan, result, to.sizes(), along, array_of(to), array_of(from), reverse);
  count(x.numel(), bytes_in_memory(in) + out.nbytes());
  return out;
}

/// The gradient of x, by scan.
template <Scan>
class ScanFormula;

template <>
class ScanFormula<Scan::cumsum> {
 public:
  ScanFormula(const Tensor& x, const Tensor&, std::int64_t dim) : dim_(dim), dtype_(x.dtype()) {}

  void operator()(const Tensor& grad, autograd::Gradients& gradients) const {
    gradients.add(0, cumsum_backward(grad, dim_).to(dtype_));
  }

 private:
  std::int64_t dim_;
  Dtype dtype_;
};

template <Scan kScan>
Tensor recorded(std::string_view name, CastPolicy policy, const Tensor& x, std::int64_t dim,
                std::optional<Dtype> dtype) {
  const Dtype result = autocast_dtype(policy, x, dtype).value_or(x.is_floating_point() ? x.dtype() : int64);
  Tensor out;
  return autograd::recorded(
      name, {&x}, [&] { return out = computed(name, kScan, x, dim, result); },
      [&] { return ScanFormula<kScan>(x, out, dim); });
}

}  // namespace

Tensor cumsum_backward(const Tensor& grad, std::int64_t dim) {
  return computed("cumsum", Scan::cumsum, grad, dim, grad.dtype(), true);
}

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
