// Copies, conversions and in-place fills; a copy's gradient is the gradient itself.
#include "device/copy.h"

#include <algorithm>
#include <string>

#include "autograd/operation_recorder.h"
#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/cuda.h"
#include "ops/dims.h"
#include "ops/reductions.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"
#include "tensor/overlap.h"
#include "tensor/tensor.h"

namespace lectern {
namespace {

/// A copy of the source. The gradient is converted back.
Tensor make_copy(std::string_view operation, const Tensor& source, Dtype dtype, Device device,
                 const Sizes& strides, bool non_blocking = false) {
  const bool converts = device == source.device() && strides == contiguous_strides(source.sizes());
  Tensor result;
  if (converts) {
    result = deferred(operation, kernels::FusedOperation(dtype), source.sizes(), device, source);
  }
  if (!result.defined()) result = copied(operation, source, dtype, device, strides, non_blocking);
  if (autograd::records(source)) {
    autograd::record(
        operation, result, {&source},
        [from = source.dtype(), there = source.device()](const Tensor& grad, Gradients& gradients) {
          gradients.add(0, [&] { return grad.to(there, from); });
        });
  }
  return result;
}

}  // namespace

const Tensor& Tensor::copy_(const Tensor& source, bool non_blocking) const {
  if (is_same(source)) {
    autograd::check_change("copy_", *this);
    return *this;
  }
  if (sizes() != source.sizes() && broadcast_sizes("copy_", sizes(), source.sizes()) != sizes()) {
    throw TensorError("copy_", "a tensor of shape " + to_string(source.sizes()) +
                                   " does not fit into one of shape " + to_string(sizes()));
  }
  check_writable("copy_", *this);
  const bool recorded = autograd::records_change(*this, {this, &source});
  autograd::check_change("copy_", *this, recorded);
  copy_elements(*this, without_overlap("copy_", *this, source), non_blocking);
  if (recorded) {
    autograd::record_change("copy_", *this, {autograd::overwritten(*this), &source},
                            [sizes = source.sizes(), dtype = source.dtype(), device = source.device()](
                                const Tensor& grad, Gradients& gradients) {
                              gradients.add(0, [&] { return zeros_like(grad); });
                              gradients.add(1, [&] { return sum_to(grad, sizes).to(device, dtype); });
                            });
  }
  return *this;
}

const Tensor& Tensor::fill_(const Scalar& value) const {
  autograd::check_change("fill_", *this);
  fill_elements(*this, value);
  autograd::record_fill("fill_", *this);
  return *this;
}

const Tensor& Tensor::fill_diagonal_(const Scalar& value) const {
  if (dim() < 2) {
    throw TensorError("fill_diagonal_", "the tensor", "of 2 dimensions or more",
                      "of shape " + to_string(sizes()));
  }
  const auto [least, most] = std::minmax_element(sizes().begin(), sizes().end());
  if (dim() > 2 && *least != *most) {
    throw TensorError("fill_diagonal_", "more than two dimensions", "of one size", to_string(sizes()));
  }
  std::int64_t step = 0;
  for (const std::int64_t stride : strides()) step += stride;
  as_strided({*least}, {step}).fill_(value);
  return *this;
}

const Tensor& Tensor::operator=(const Scalar& value) && {
  return fill_(value);
}

const Tensor& Tensor::operator=(const Tensor& other) && {
  if (this == &other) return *this;
  return copy_(assigned(other, sizes().size()));
}

Tensor Tensor::clone() const {
  return make_copy("clone", *this, dtype(), device(), result_strides(*this));
}

Tensor Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  return make_copy("contiguous", *this, dtype(), device(), contiguous_strides(sizes()));
}

Tensor Tensor::pin_memory() const {
  if (is_cuda()) throw TensorError("pin_memory", "the device", "cpu", device().name());
  if (is_pinned()) return *this;
  Allocator& memory = cuda::pinned_allocator();
  const auto nbytes = static_cast<std::size_t>(this->nbytes());
  void* const data = memory.allocate(nbytes);
  const Storage storage(data, nbytes, lectern::cpu,
                        [&memory, data, nbytes] { memory.deallocate(data, nbytes); });
  const Tensor pinned(storage, dtype(), sizes(), result_strides(*this));
  copy_elements(pinned, *this);
  return pinned;
}

bool Tensor::is_pinned() const {
  return !is_cuda() && cuda::is_pinned(storage().data_ptr());
}

Tensor Tensor::to(Dtype dtype) const {
  return to(device(), dtype);
}

Tensor Tensor::to(Device device, bool non_blocking) const {
  return to(device, dtype(), non_blocking);
}

Tensor Tensor::to(Device device, Dtype dtype, bool non_blocking) const {
  if (device == this->device() && dtype == this->dtype()) return *this;
  return make_copy("to", *this, dtype, device, result_strides(*this), non_blocking);
}

}  // namespace lectern
