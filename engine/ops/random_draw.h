#pragma once

#include <string_view>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/random.h"
#include "tensor/creation.h"
#include "tensor/generator.h"
#include "tensor/layout.h"

namespace lectern {

inline kernels::RandomArray random_array(const Tensor& tensor) {
  return {tensor.data_ptr(), tensor.dtype(), tensor.sizes(), tensor.strides(), tensor.is_contiguous()};
}

/// What `operation` fills, which errors of sizes name.
inline Tensor empty_to_fill(std::string_view operation, const Sizes& sizes, const TensorOptions& options) {
  checked_nbytes(operation, options.dtype.value_or(float32), sizes);
  return empty(sizes, options);
}

/// Fills a tensor in place from its generator: fill(operation, device, array, arguments…, state), as a kernel
/// of kernels/random.h.
template <typename Fill, typename... Arguments>
void draw(std::string_view operation, const Tensor& tensor, Generator* generator, const Fill& fill,
          const Arguments&... arguments) {
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
    kernels::GeneratorState state;
    if (tensor.is_cuda()) {
      state.philox = source.advance(0);
    } else {
      state.stream = &source.stream();
    }
    const std::uint64_t before = state.philox.offset;
    fill(operation, tensor.device(), random_array(tensor), arguments..., state);
    if (tensor.is_cuda()) source.advance(state.philox.offset - before);
  }
  tensor.storage().bump_version();
  count(0, tensor.nbytes());
  autograd::record_fill(operation, tensor);
}

}  // namespace lectern
