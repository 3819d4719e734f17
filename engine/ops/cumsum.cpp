#include "ops/cumsum.h"

#include "autograd/record.h"
#include "device/counters.h"
#include "kernels/cumsum.h"
#include "ops/autocast.h"
#include "ops/dims.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

Tensor running_sums(const Tensor& x, std::int64_t dim, Dtype result, bool reverse) {
  const std::size_t along = wrap_dim("cumsum", dim, x.sizes().size());
  const Tensor in = result == bool_ ? x.to(bool_) : x;  // 0.5 is true, not the 0 that it is as an integer
  const Tensor out = empty(x.sizes(), {.dtype = result, .device = x.device()});
  const Tensor from = at_least_one_dim(in), to = at_least_one_dim(out);
  if (x.numel() > 0) {
    kernels::cumsum("cumsum", x.device(), result, to.sizes(), along, array_of(to), array_of(from), reverse);
  }
  count(x.numel(), bytes_in_memory(in) + out.nbytes());
  return out;
}

}  // namespace

Tensor cumsum(const Tensor& x, std::int64_t dim, std::optional<Dtype> dtype) {
  const Dtype result = autocast_dtype(x, dtype).value_or(x.is_floating_point() ? x.dtype() : int64);
  return autograd::recorded(
      "cumsum", {&x}, [&] { return running_sums(x, dim, result, false); },
      [&] {
        return [dim, from = x.dtype()](const Tensor& grad, autograd::Gradients& gradients) {
          gradients.add(0, cumsum_backward(grad, dim).to(from));
        };
      });
}
Tensor cumsum_backward(const Tensor& grad, std::int64_t dim) {
  return running_sums(grad, dim, grad.dtype(), true);
}

Tensor Tensor::cumsum(std::int64_t dim, std::optional<Dtype> dtype) const {
  return lectern::cumsum(*this, dim, dtype);
}

}  // namespace lectern
