#include "ops/softmax.h"

#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/softmax.h"
#include "ops/autocast.h"
#include "ops/devices.h"
#include "ops/dims.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

using autograd::Gradients;
using autograd::Saved;

using kernels::Softmax;

Tensor forward(std::string_view operation, Softmax kind, const Tensor& x, std::int64_t dim,
               std::optional<Dtype> dtype) {
  const Dtype result = dtype.value_or(x.dtype());
  const std::size_t along = wrap_dim(operation, dim, x.sizes().size());
  if (!is_floating_point(result)) {
    throw TensorError(operation, "the dtype", "floating", std::string(name(result)) + "; convert with to()");
  }
  const bool rounds = element_size(result) < element_size(x.dtype()) || !x.is_floating_point();
  const Tensor in = at_least_one_dim(rounds ? x.to(result) : x);
  const Tensor out = empty(x.sizes(), {.dtype = result, .device = x.device()});
  const Tensor lines = at_least_one_dim(out);
  if (x.numel() > 0) {
    kernels::softmax(operation, x.device(), kind, in.sizes(), along, array_of(lines), array_of(in));
  }
  count(5 * x.numel(), bytes_in_memory(in) + out.nbytes());
  return out;
}

Tensor backward(std::string_view operation, Softmax kind, const Tensor& grad, const Tensor& result,
                std::int64_t dim) {
  const std::size_t along = wrap_dim(operation, dim, result.sizes().size());
  check_same_device(operation, grad, result);
  if (grad.sizes() != result.sizes()) {
    throw TensorError(operation, "the gradient's shape", to_string(result.sizes()), to_string(grad.sizes()));
  }
  const Tensor out = empty(result.sizes(), {.dtype = result.dtype(), .device = result.device()});
  const Tensor lines = at_least_one_dim(out), grads = at_least_one_dim(grad), y = at_least_one_dim(result);
  if (result.numel() > 0) {
    kernels::softmax_backward(operation, result.device(), kind, y.sizes(), along, array_of(lines),
                              array_of(grads), array_of(y));
  }
  count(4 * result.numel(), bytes_in_memory(grad) + bytes_in_memory(result) + out.nbytes());
  return out;
}

Tensor recorded(std::string_view operation, Softmax kind, const Tensor& x, std::int64_t dim,
                std::optional<Dtype> dtype) {
  Tensor out;
  return autograd::recorded(
      operation, {&x}, [&] { return out = forward(operation, kind, x, dim, dtype); },
      [&] {
        return [operation, kind, dim, out = Saved(out), from = x.dtype()](const Tensor& grad,
                                                                          Gradients& gradients) {
          gradients.add(0, backward(operation, kind, grad, out.get(), dim).to(from));
        };
      });
}

}  // namespace

Tensor softmax(const Tensor& x, std::int64_t dim, std::optional<Dtype> dtype) {
  return recorded("softmax", Softmax::softmax, x, dim, autocast_dtype(x, dtype));
}
Tensor log_softmax(const Tensor& x, std::int64_t dim, std::optional<Dtype> dtype) {
  return recorded("log_softmax", Softmax::log_softmax, x, dim, autocast_dtype(x, dtype));
}

Tensor softmax_backward(const Tensor& grad, const Tensor& result, std::int64_t dim) {
  return backward("softmax_backward", Softmax::softmax, grad, result, dim);
}
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, std::int64_t dim) {
  return backward("log_softmax_backward", Softmax::log_softmax, grad, result, dim);
}

Tensor Tensor::softmax(std::int64_t dim, std::optional<Dtype> dtype) const {
  return lectern::softmax(*this, dim, dtype);
}
Tensor Tensor::log_softmax(std::int64_t dim, std::optional<Dtype> dtype) const {
  return lectern::log_softmax(*this, dim, dtype);
}

}  // namespace lectern
