#include "nn/group_norm.h"

#include "base/noun.h"
#include "base/tensor_error.h"
#include "nn/repr.h"
#include "ops/channel_norm.h"
#include "tensor/creation.h"

namespace lectern::nn {

GroupNorm::GroupNorm(std::int64_t num_groups, std::int64_t num_channels, const GroupNormOptions& options)
    : num_groups_(num_groups), num_channels_(num_channels), eps_(options.eps) {
  if (num_groups < 1 || num_channels % num_groups != 0)
    throw TensorError("GroupNorm", "num_groups", "a divisor of the " + with_noun(num_channels, "channel"),
                      std::to_string(num_groups));
  if (options.affine) {
    const TensorOptions factory{.dtype = options.dtype, .device = options.device};
    weight = Parameter(ones({num_channels}, factory));
    bias = Parameter(zeros({num_channels}, factory));
  }
  LECTERN_REGISTER(weight, bias);
}

Tensor GroupNorm::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) { return forward(in); });
}

Tensor GroupNorm::forward(const Tensor& x) const {
  if (x.dim() < 2 || x.size(1) != num_channels_)
    throw TensorError("GroupNorm", "the input", "of shape [N, " + std::to_string(num_channels_) + ", …]",
                      "of shape " + to_string(x.sizes()));
  return group_norm(x, num_groups_, weight, bias, eps_);
}

std::string GroupNorm::extra_repr() const {
  return std::to_string(num_groups_) + ", " + std::to_string(num_channels_) + ", eps=" + repr(eps_) +
         ", affine=" + repr(weight.defined());
}

}  // namespace lectern::nn
