#include "device/copy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/elementwise.h"
#include "tensor/layout.h"
#include "tensor/on_device.h"
#include "tensor/scalar_element.h"
#include "tensor/tensor.h"

namespace lectern {
namespace {

/// Writes `in` to `target`, over `sizes` of it, on the target's device.
void copy_on_device(std::string_view operation, const Tensor& target, const Sizes& sizes,
                    const kernels::Array& in) {
  const kernels::Array out{target.data_ptr(), target.dtype(), target.strides().begin()};
  on_device(
      operation, target.device(), [&] { kernels::copy(sizes, out, in); },
      [&] { kernels::cuda::copy(sizes, out, in); });
}

/// Whether the bytes of one are, in the same order, those of the other.
bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         is_dense(a.sizes(), a.strides());
}

/// One run of bytes from one device to another.
void transfer(const Tensor& target, const Tensor& source, bool non_blocking) {
  const int device = (target.is_cuda() ? target : source).device().index();
  const cuda::Stream stream = cuda::current_stream(device);
  const bool between_gpus = target.is_cuda() && source.is_cuda();
  if (between_gpus) stream.wait_stream(cuda::current_stream(source.device().index()));
  const auto nbytes = static_cast<std::size_t>(target.nbytes());
  const cuda::Event done = cuda::copy_async(target.data_ptr(), source.data_ptr(), nbytes, stream);
  if (between_gpus) {
    done.wait(cuda::current_stream(source.device().index()));
  } else if (!non_blocking) {
    done.synchronize();
  }
}

/// The source is made one run of the target's dtype where it is; unless the target is just such a run,
/// another one arrives beside it. A copy does not go on that uses what stands on the host in between.
void copy_between_devices(const Tensor& target, const Tensor& source, bool non_blocking) {
  if (same_bytes(target, source)) return transfer(target, source, non_blocking);
  const bool dense = is_dense(source.sizes(), source.strides());
  const Tensor ready = (dense ? source : source.clone()).to(target.dtype());
  const bool goes_on = non_blocking && source.is_cuda();
  if (same_bytes(target, ready)) return transfer(target, ready, goes_on);
  const Tensor arrived = empty_dense("copy_", ready.dtype(), target.device(), ready.sizes(), ready.strides());
  transfer(arrived, ready, goes_on && target.is_cuda());
  const Sizes strides = expanded_strides(arrived.sizes(), arrived.strides(), target.sizes());
  copy_on_device("copy_", target, target.sizes(), {arrived.data_ptr(), arrived.dtype(), strides.begin()});
}

Tensor copied(std::string_view operation, const Tensor& source, Dtype dtype, Device device,
              const Sizes& strides, bool non_blocking = false) {
  const Tensor result = empty_dense(operation, dtype, device, source.sizes(), strides);
  result.copy_(source, non_blocking);
  return result;
}

}  // namespace

const Tensor& Tensor::copy_(const Tensor& source, bool non_blocking) const {
  if (is_same(source)) return *this;
  if (sizes() != source.sizes() && broadcast_sizes("copy_", sizes(), source.sizes()) != sizes()) {
    throw TensorError("copy_", "a tensor of shape " + to_string(source.sizes()) +
                                   " does not fit into one of shape " + to_string(sizes()));
  }
  check_writable("copy_", *this);
  check_overlap("copy_", *this, source);
  if (device() != source.device()) {
    copy_between_devices(*this, source, non_blocking);
  } else {
    const Sizes strides = expanded_strides(source.sizes(), source.strides(), this->sizes());
    copy_on_device("copy_", *this, sizes(), {source.data_ptr(), source.dtype(), strides.begin()});
  }
  storage().bump_version();
  count(0, nbytes() + source.nbytes());
  return *this;
}

const Tensor& Tensor::fill_(const Scalar& value) const {
  check_in_range("fill_", value, dtype());
  ScalarElement element(value, dtype());
  const Sizes repeated = Sizes::filled(sizes().size(), 0);
  Sizes distinct = sizes();  // each number in memory once
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    if (strides()[i] == 0) distinct[i] = std::min<std::int64_t>(distinct[i], 1);
  }
  copy_on_device("fill_", *this, distinct, {element.data(), dtype(), repeated.begin(), true});
  storage().bump_version();
  count(0, nbytes());
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
  return copy_(other);
}

Tensor Tensor::clone() const {
  return copied("clone", *this, dtype(), device(), result_strides(*this));
}

Tensor Tensor::contiguous() const {
  if (is_contiguous()) return *this;
  return copied("contiguous", *this, dtype(), device(), contiguous_strides(sizes()));
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
  pinned.copy_(*this);
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
  return copied("to", *this, dtype, device, result_strides(*this), non_blocking);
}

}  // namespace lectern
