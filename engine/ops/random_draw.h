#pragma once

#include <string_view>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/cuda/random.h"
#include "kernels/random.h"
#include "tensor/generator.h"
#include "tensor/layout.h"
#include "tensor/on_device.h"

namespace lectern {

inline kernels::RandomArray random_array(const Tensor& tensor) {
  return {tensor.data_ptr(), tensor.dtype(), tensor.sizes(), tensor.strides(), tensor.is_contiguous()};
}

/// Fills a tensor in place from its generator: fill(array, stream), where the stream is a RandomStream on the
/// CPU and a PhiloxState on CUDA, so that overloading selects the kernel.
template <typename Fill>
void draw(std::string_view operation, const Tensor& tensor, Generator* generator, const Fill& fill) {
  check_writable(operation, tensor);
  autograd::check_change(operation, tensor);
  if (is_float8(tensor.dtype())) {
    throw TensorError(operation, "dtype", "of 16 bits or more if it is floating", name(tensor.dtype()));
  }
  Generator& source = generator != nullptr ? *generator : default_generator(tensor.device());
  if (source.device() != tensor.device()) {
    throw TensorError(operation, "generator", "one of the tensor's device, " + tensor.device().name(),
                      source.device().name());
  }
  const auto held = source.lock();
  if (tensor.numel() > 0) {
    on_device(
        operation, tensor.device(), [&] { fill(random_array(tensor), source.stream()); },
        [&] {
          const kernels::PhiloxState before = source.advance(0);
          kernels::PhiloxState state = before;
          fill(random_array(tensor), state);
          source.advance(state.offset - before.offset);
        });
  }
  tensor.storage().bump_version();
  count(0, tensor.nbytes());
  autograd::record_fill(operation, tensor);
}

}  // namespace lectern
