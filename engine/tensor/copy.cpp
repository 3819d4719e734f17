#include <algorithm>
#include <string>
#include <utility>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/elementwise.h"
#include "tensor/layout.h"
#include "tensor/scalar_element.h"
#include "tensor/tensor.h"

namespace lectern {
namespace {

/// Writes `source`, expanded by `strides`, to `target`; both are on the CPU.
void copy_on_cpu(const Tensor& target, const Tensor& source, const Sizes& strides) {
  kernels::copy(target.sizes(), {target.data_ptr(), target.dtype(), target.strides().begin()},
                {source.data_ptr(), source.dtype(), strides.begin()});
}

Tensor copied(std::string_view operation, const Tensor& source, Dtype dtype, Device device,
              const Sizes& strides, bool non_blocking = false) {
  const Tensor result = empty_dense(operation, dtype, device, source.sizes(), strides);
  result.copy_(source, non_blocking);
  return result;
}

}  // namespace

const Tensor& Tensor::copy_(const Tensor& source, bool) const {
  if (is_same(source)) return *this;
  if (sizes() != source.sizes() && broadcast_sizes("copy_", sizes(), source.sizes()) != sizes()) {
    throw TensorError("copy_", "a tensor of shape " + to_string(source.sizes()) +
                                   " does not fit into one of shape " + to_string(sizes()));
  }
  check_writable("copy_", *this);
  check_overlap("copy_", *this, source);
  if (is_cuda() || source.is_cuda()) {
    throw TensorError("copy_", "the device", "cpu", is_cuda() ? device().name() : source.device().name());
  }
  copy_on_cpu(*this, source, expanded_strides(source.sizes(), source.strides(), sizes()));
  storage().bump_version();
  count(0, nbytes() + source.nbytes());
  return *this;
}

const Tensor& Tensor::fill_(const Scalar& value) const {
  check_in_range("fill_", value, dtype());
  if (is_cuda()) throw TensorError("fill_", "the device", "cpu", device().name());
  ScalarElement element(value, dtype());
  const Sizes repeated = Sizes::filled(sizes().size(), 0);
  Sizes distinct = sizes();  // each number in memory once
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    if (strides()[i] == 0) distinct[i] = std::min<std::int64_t>(distinct[i], 1);
  }
  kernels::copy(std::as_const(distinct), {data_ptr(), dtype(), strides().begin()},
                {element.data(), dtype(), repeated.begin()});
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
