#include "ops/softmax.h"

#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/row_operations.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/devices.h"
#include "ops/dims.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

using kernels::RowOperation;

Tensor forward(std::string_view name, RowOperation operation, const Tensor& x, std::int64_t dim,
               std::optional<Dtype> dtype) {
  const Dtype result = dtype.value_or(x.dtype());
  const std::size_t along = wrap_dim(name, dim, x.sizes().size());
  check_floating(name, result);
  const bool rounds = element_size(result) < element_size(x.dtype()) || !x.is_floating_point();
  const Tensor in = at_least_one_dim(rounds ? x.to(result) : x);
  const Tensor out = empty(x.sizes(), {.dtype = result, .device = x.device()});
  const Tensor lines = at_least_one_dim(out);
  if (x.numel() > 0) {
    kernels::apply_row(name, x.device(), operation, in.sizes(), along, to_array(lines), to_array(in));
  }
  count(dispatch(operation, [](auto functor) { return functor.kFlops; }) * x.numel(),
        bytes_in_memory(in) + out.nbytes());
  return out;
}

Tensor backward(std::string_view name, RowOperation operation, const Tensor& grad, const Tensor& result,
                std::int64_t dim) {
  const std::size_t along = wrap_dim(name, dim, result.sizes().size());
  check_same_device(name, grad, result);
  if (grad.sizes() != result.sizes()) {
    throw TensorError(name, "the gradient's shape", to_string(result.sizes()), to_string(grad.sizes()));
  }
  const Tensor out = empty(result.sizes(), {.dtype = result.dtype(), .device = result.device()});
  const Tensor lines = at_least_one_dim(out), grads = at_least_one_dim(grad), y = at_least_one_dim(result);
  if (result.numel() > 0) {
    kernels::apply_row_backward(name, result.device(), operation, y.sizes(), along, to_array(lines),
                                to_array(grads), to_array(y));
  }
  count(dispatch(operation, [](auto functor) { return functor.kBackwardFlops; }) * result.numel(),
        bytes_in_memory(grad) + bytes_in_memory(result) + out.nbytes());
  return out;
}

Tensor recorded(std::string_view name, RowOperation operation, const Tensor& x, std::int64_t dim,
                std::optional<Dtype> dtype) {
  return autograd::recorded(
      name, {&x}, [&] { return forward(name, operation, x, dim, dtype); },
      [&](const Tensor& out) {
        return autograd::formula(
            [=, from = x.dtype()](const Tensor& grad, const Tensor& result) {
              return backward(name, operation, grad, result, dim).to(from);
            },
            Saved(out));
      });
}

}  // namespace

#define LECTERN_ROW(name, Functor, autocast)                                           \
  Tensor name(const Tensor& x, std::int64_t dim, std::optional<Dtype> dtype) {         \
    const auto computed = autocast_dtype(CastPolicy::autocast, x, dtype);              \
    return recorded(#name, RowOperation::name, x, dim, computed);                      \
  }                                                                                    \
  Tensor name##_backward(const Tensor& grad, const Tensor& result, std::int64_t dim) { \
    return backward(#name "_backward", RowOperation::name, grad, result, dim);         \
  }
LECTERN_ROW_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW

}  // namespace lectern
