#pragma once

#include <mutex>
#include <string_view>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/random.h"
#include "tensor/generator.h"
#include "tensor/layout.h"

namespace lectern {

inline kernels::RandomArray random_array(const Tensor& tensor) {
  return {tensor.data_ptr(), tensor.dtype(), tensor.sizes(), tensor.strides(), tensor.is_contiguous()};
}

/// Fills a tensor in place from its generator: fill(array, stream).
template <typename Fill>
void draw(std::string_view operation, const Tensor& tensor, Generator* generator, Fill fill) {
  check_writable(operation, tensor);
  if (tensor.is_cuda()) throw TensorError(operation, "the device", "cpu", tensor.device().name());
  if (is_float8(tensor.dtype())) {
    throw TensorError(operation, "dtype", "of 16 bits or more if it is floating", name(tensor.dtype()));
  }
  Generator& source = generator != nullptr ? *generator : default_generator(tensor.device());
  if (source.device() != tensor.device()) {
    throw TensorError(operation, "generator", "one of the tensor's device, " + tensor.device().name(),
                      source.device().name());
  }
  const std::scoped_lock lock(source.mutex());
  if (tensor.numel() > 0) fill(random_array(tensor), source.stream());
  tensor.storage().bump_version();
  count(0, tensor.nbytes());
}

}  // namespace lectern
