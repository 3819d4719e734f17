#include "tensor/copy.h"

#include <algorithm>

#include "base/tensor_error.h"
#include "device/capture.h"
#include "device/copy.h"
#include "device/counters.h"
#include "kernels/elementwise.h"
#include "tensor/array.h"
#include "tensor/layout.h"
#include "tensor/pageable_copy.h"
#include "tensor/scalar_element.h"

namespace lectern {
namespace {

/// Writes `in` to `target` over `sizes`, on the target's device.
void copy_on_device(std::string_view operation, const Tensor& target, const Sizes& sizes,
                    const kernels::Array& in) {
  kernels::copy(operation, target.device(), sizes, to_array(target), in);
}

/// Whether both have the same bytes in the same order.
bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         is_dense(a.sizes(), a.strides());
}

/// Whether a block of the host is copied twice, through page-locked memory, so that nothing waits: if it is
/// small, and while a CUDA graph is captured, when nothing may.
bool is_staged(const Tensor& target, const Tensor& source) {
  constexpr std::int64_t kMostStaged = 1 << 16;
  return target.is_cuda() && !source.is_cuda() && (target.nbytes() <= kMostStaged || cuda::is_capturing());
}

/// Whether the memory of the host is pageable, and enough of it to be copied in parts.
bool is_in_parts(const Tensor& target, const Tensor& source) {
  constexpr std::int64_t kLeastInParts = 1 << 20;
  if (target.nbytes() < kLeastInParts || target.is_cuda() == source.is_cuda()) return false;
  return !cuda::is_pinned((target.is_cuda() ? source : target).data_ptr()) && !cuda::is_capturing();
}

/// Copies one contiguous block of bytes between devices.
void transfer(const Tensor& target, const Tensor& source, bool non_blocking) {
  const int device = (target.is_cuda() ? target : source).device().index();
  const cuda::Stream stream = cuda::current_stream(device);
  const auto nbytes = static_cast<std::size_t>(target.nbytes());
  if (is_staged(target, source) && !(non_blocking && cuda::is_pinned(source.data_ptr())))
    return cuda::enqueue_staged_copy(target.data_ptr(), source.data_ptr(), nbytes, stream);
  if (is_in_parts(target, source)) {
    const auto copy_in_parts = target.is_cuda() ? copy_from_pageable : copy_to_pageable;
    return copy_in_parts(target.data_ptr(), source.data_ptr(), nbytes, stream);
  }
  if (target.is_cuda() && source.is_cuda()) {
    const cuda::Stream other = cuda::current_stream(source.device().index());
    stream.wait_stream(other);
    cuda::copy_from_gpu(other.device(), target.data_ptr(), source.data_ptr(), nbytes, stream).wait(other);
  } else {
    const cuda::Event done = cuda::copy_async(target.data_ptr(), source.data_ptr(), nbytes, stream);
    if (!non_blocking) done.synchronize();
  }
}

/// Makes the source a dense block of the target's dtype on its own device; unless the target has that layout,
/// the block arrives in a temporary. A copy that goes through temporary host memory is blocking.
void copy_between_devices(const Tensor& target, const Tensor& source, bool non_blocking) {
  if (same_bytes(target, source)) return transfer(target, source, non_blocking);
  const bool dense = is_dense(source.sizes(), source.strides());
  const bool fits = dense && source.dtype() == target.dtype();
  const Tensor block =
      fits ? source : copied("copy_", source, target.dtype(), source.device(), result_strides(source));
  const bool asynchronous = non_blocking && source.is_cuda();
  if (same_bytes(target, block)) return transfer(target, block, asynchronous);
  const Tensor received =
      empty_dense("copy_", block.dtype(), target.device(), block.sizes(), block.strides());
  transfer(received, block, asynchronous && target.is_cuda());
  const Sizes strides = expanded_strides(received.sizes(), received.strides(), target.sizes());
  copy_on_device("copy_", target, target.sizes(), to_array(received, strides));
}

/// Counts what it moves.
void write_elements(const Tensor& target, const Tensor& source, bool non_blocking) {
  if (target.device() != source.device()) {
    copy_between_devices(target, source, non_blocking);
  } else {
    const Sizes strides = expanded_strides(source.sizes(), source.strides(), target.sizes());
    copy_on_device("copy_", target, target.sizes(), to_array(source, strides));
  }
  if (target.numel() > 0) count(0, target.nbytes() + bytes_in_memory(source));
}

}  // namespace

void copy_elements(const Tensor& target, const Tensor& source, bool non_blocking) {
  write_elements(target, source, non_blocking);
  target.storage().bump_version();
}

void fill_elements(const Tensor& target, const Scalar& value) {
  check_in_range("fill_", value, target.dtype());
  ScalarElement element(value, target.dtype());
  const Sizes repeated = Sizes::filled(target.sizes().size(), 0);
  Sizes distinct = target.sizes();  // each memory location once
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    if (target.strides()[i] == 0) distinct[i] = std::min<std::int64_t>(distinct[i], 1);
  }
  copy_on_device("fill_", target, distinct, {element.data(), target.dtype(), repeated.begin(), true});
  target.storage().bump_version();
  count(0, bytes_in_memory(target));
}

Tensor copied(std::string_view operation, const Tensor& source, Dtype dtype, Device device,
              const Sizes& strides, bool non_blocking) {
  const Tensor result = empty_dense(operation, dtype, device, source.sizes(), strides);
  write_elements(result, source, non_blocking);
  return result;
}

}  // namespace lectern
