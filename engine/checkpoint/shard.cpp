#include "checkpoint/shard.h"

#include "base/tensor_error.h"
#include "tensor/layout.h"

namespace lectern {

Shard whole(const Tensor& tensor) {
  return {tensor.detach(), tensor.sizes(), Sizes::filled(tensor.sizes().size(), 0)};
}

Tensor part_of(const Tensor& tensor, const Sizes& sizes, const Sizes& offsets) {
  const bool is_range = offsets.size() != tensor.sizes().size();
  const Sizes whole = is_range ? Sizes{tensor.numel()} : tensor.sizes();
  const Sizes strides = contiguous_strides(whole);
  bool fits = sizes.size() == whole.size() && offsets.size() == whole.size();
  std::int64_t begin = 0;
  for (std::size_t d = 0; fits && d < whole.size(); ++d) {
    fits = offsets[d] >= 0 && sizes[d] >= 0 && offsets[d] <= whole[d] && sizes[d] <= whole[d] - offsets[d];
    begin += offsets[d] * strides[d];
  }
  if (!fits)
    throw TensorError("a shard", "of shape " + to_string(sizes) + " at " + to_string(offsets) +
                                     " is no part of a tensor of shape " + to_string(tensor.sizes()));
  return tensor.alias(sizes, strides, tensor.storage_offset() + begin);
}

}  // namespace lectern
