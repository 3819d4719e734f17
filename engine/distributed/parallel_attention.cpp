#include "distributed/parallel_attention.h"

#include "base/tensor_error.h"
#include "distributed/parallel_regions.h"
#include "ops/attention.h"
#include "ops/elementwise.h"
#include "ops/linear.h"

namespace lectern::distributed {
namespace {

constexpr const char* kParallelAttention = "ParallelAttention";

/// One of the three projections of the whole attention.
nn::Linear projection(const nn::MultiheadAttention& whole, std::size_t which) {
  if (!whole.in_proj_weight.defined())
    throw TensorError(kParallelAttention, "keys and values with features of their own are not supported");
  const auto part = [&](const Tensor& stacked) { return nn::Parameter(stacked.detach().chunk(3)[which]); };
  return nn::Linear(part(whole.in_proj_weight),
                    whole.in_proj_bias.defined() ? part(whole.in_proj_bias) : nn::Parameter());
}

ColumnParallelLinear own_projection(const nn::MultiheadAttention& whole, std::size_t which,
                                    const ParallelAttentionOptions& options) {
  return ColumnParallelLinear(projection(whole, which),
                              {.gather_output = false, .copies_input = false, .group = options.group});
}

}  // namespace

ParallelAttention::ParallelAttention(std::int64_t embed_dim, std::int64_t num_heads,
                                     const ParallelAttentionOptions& options)
    : ParallelAttention(nn::MultiheadAttention(embed_dim, num_heads,
                                               {.bias = options.bias, .dtype = options.dtype, .device = cpu}),
                        options) {}

ParallelAttention::ParallelAttention(const nn::MultiheadAttention& whole,
                                     const ParallelAttentionOptions& options)
    : q_proj(own_projection(whole, 0, options)),
      k_proj(own_projection(whole, 1, options)),
      v_proj(own_projection(whole, 2, options)),
      out_proj(whole.out_proj, {.input_is_parallel = true, .group = options.group}),
      num_heads_(whole.num_heads()),
      is_causal_(options.is_causal) {
  check_divides(kParallelAttention, "num_heads", num_heads_, options.group);
  LECTERN_REGISTER(q_proj, k_proj, v_proj, out_proj);
}

Tensor ParallelAttention::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) {
    if (in.dim() != 3)
      throw TensorError(kParallelAttention, "x", "of shape [batch, time, embed_dim]", to_string(in.sizes()));
    const Group& group = out_proj.group();
    const std::int64_t heads = num_heads_ / get_world_size(group);
    const Tensor copied = copy_to_parallel_region(in, group);
    const auto split = [&](const Tensor& projected) {
      return projected.unflatten(-1, {heads, -1}).transpose(1, 2);
    };
    const Tensor attended = scaled_dot_product_attention(split(q_proj(copied)), split(k_proj(copied)),
                                                         split(v_proj(copied)), {.is_causal = is_causal_});
    return out_proj(attended.transpose(1, 2).flatten(2));
  });
}

}  // namespace lectern::distributed
