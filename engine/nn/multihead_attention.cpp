#include "nn/multihead_attention.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/tensor_error.h"
#include "nn/init.h"
#include "nn/repr.h"
#include "ops/attention.h"
#include "ops/autocast.h"
#include "ops/dropout.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/triangle.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

constexpr std::string_view kMultiheadAttention = "MultiheadAttention";

constexpr double kMasked = -std::numeric_limits<double>::infinity();

void check_mask(const std::string& mask_name, const Tensor& mask, const Tensor& query, const Sizes& shape,
                const Sizes& other) {
  const bool fits = mask.dtype() == bool_ || mask.dtype() == query.dtype() ||
                    (mask.is_floating_point() && autocasts(query));
  if (!fits) {
    throw TensorError(kMultiheadAttention, "the dtype of " + mask_name,
                      "bool or " + std::string(name(query.dtype())), name(mask.dtype()));
  }
  if (mask.sizes() != shape && mask.sizes() != other) {
    throw TensorError(kMultiheadAttention, "the shape of " + mask_name,
                      to_string(shape) + (shape == other ? "" : " or " + to_string(other)),
                      to_string(mask.sizes()));
  }
}

bool is_additive(const Tensor& mask) {
  return mask.defined() && mask.dtype() != bool_;
}

/// Masks what either bool mask masks, or adds both.
Tensor merged(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() ? a : b;
  if (is_additive(a)) return is_additive(b) ? a + b : a.masked_fill(b, kMasked);
  return is_additive(b) ? merged(b, a) : a.logical_or(b);
}

/// Both masks combined, broadcastable to [batch, heads, queries, keys]; undefined if there is none.
Tensor combined_mask(const AttentionMasks& masks, const Tensor& query, std::int64_t batch, std::int64_t heads,
                     std::int64_t queries, std::int64_t keys) {
  Tensor pairs = masks.attn_mask, padding = masks.key_padding_mask;
  if (pairs.defined()) {
    check_mask("attn_mask", pairs, query, {queries, keys}, {batch * heads, queries, keys});
    if (pairs.dim() == 3) pairs = pairs.unflatten(0, {batch, heads});
  }
  if (padding.defined()) {
    check_mask("key_padding_mask", padding, query, {batch, keys},
               batch == 1 ? Sizes{keys} : Sizes{batch, keys});
    padding = padding.reshape({batch, 1, 1, keys});
  }
  return merged(pairs, padding);
}

}  // namespace

MultiheadAttention::MultiheadAttention(std::int64_t embed_dim, std::int64_t num_heads,
                                       const MultiheadAttentionOptions& options)
    : out_proj(embed_dim, embed_dim,
               {.bias = options.bias, .dtype = options.dtype, .device = options.device}),
      num_heads_(num_heads),
      kdim_(options.kdim.value_or(embed_dim)),
      vdim_(options.vdim.value_or(embed_dim)),
      dropout_(options.dropout),
      batch_first_(options.batch_first) {
  if (num_heads <= 0 || embed_dim % num_heads != 0) {
    throw TensorError(kMultiheadAttention, "num_heads",
                      "a divisor of embed_dim, " + std::to_string(embed_dim), std::to_string(num_heads));
  }
  if (!(dropout_ >= 0 && dropout_ <= 1))
    throw TensorError(kMultiheadAttention, "dropout", "in [0, 1]", repr(dropout_));
  if (kdim_ < 0 || vdim_ < 0) {
    throw TensorError(kMultiheadAttention, "kdim and vdim", "0 or more",
                      std::to_string(kdim_) + " and " + std::to_string(vdim_));
  }
  const TensorOptions factory{.dtype = options.dtype, .device = options.device};
  const auto weight = [&](std::int64_t features, std::int64_t inputs) {
    return Parameter(init::xavier_uniform_(empty({features, inputs}, factory)));
  };
  if (kdim_ == embed_dim && vdim_ == embed_dim) {
    in_proj_weight = weight(3 * embed_dim, embed_dim);
  } else {
    q_proj_weight = weight(embed_dim, embed_dim);
    k_proj_weight = weight(embed_dim, kdim_);
    v_proj_weight = weight(embed_dim, vdim_);
  }
  if (options.bias) in_proj_bias = Parameter(zeros({3 * embed_dim}, factory));
  LECTERN_REGISTER(in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias, out_proj);
  if (options.bias) init::zeros_(out_proj.bias);
}

void MultiheadAttention::check(const Tensor& query, const Tensor& key, const Tensor& value) const {
  const auto fail = [&](const std::string& expected) {
    throw TensorError(
        kMultiheadAttention, "the shapes of query, key and value", expected,
        to_string(query.sizes()) + ", " + to_string(key.sizes()) + " and " + to_string(value.sizes()));
  };
  const std::int64_t dims = query.dim();
  if ((dims != 2 && dims != 3) || key.dim() != dims || value.dim() != dims) {
    fail("of three dimensions, or of two without a batch");
  }
  if (query.size(-1) != embed_dim() || key.size(-1) != kdim_ || value.size(-1) != vdim_) {
    fail("of embed_dim, kdim and vdim, " + std::to_string(embed_dim()) + ", " + std::to_string(kdim_) +
         " and " + std::to_string(vdim_) + ", in the last dimension");
  }
  const std::int64_t batch_dim = batch_first_ ? 0 : 1;
  const bool fit = key.size(0) == value.size(0) && key.size(-2) == value.size(-2);
  if (!fit || (dims == 3 && query.size(batch_dim) != key.size(batch_dim))) {
    fail("of the same batch, with as many values as keys");
  }
}

Tensor MultiheadAttention::operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const AttentionMasks& masks) const {
  const Heads heads = project(query, key, value, masks);
  if (is_training() && dropout_ != 0)
    return merge_heads(matmul(attention_weights(heads, masks.is_causal), heads.value), query.dim() == 3);
  const bool is_boolean = heads.mask.defined() && !is_additive(heads.mask);
  const Tensor mask = is_boolean ? heads.mask.logical_not() : heads.mask;
  return merge_heads(scaled_dot_product_attention(heads.query, heads.key, heads.value,
                                                  {.attn_mask = mask, .is_causal = masks.is_causal}),
                     query.dim() == 3);
}

Tensor MultiheadAttention::operator()(const Tensor& x, KeyValueCache& cache) const {
  const Heads heads = project(x, x, x, {});
  return merge_heads(cache.attend(heads.query, heads.key, heads.value), x.dim() == 3);
}

MultiheadAttention::Weighted MultiheadAttention::with_weights(const Tensor& query, const Tensor& key,
                                                              const Tensor& value,
                                                              const AttentionMasks& masks,
                                                              bool average_attn_weights) const {
  const Heads heads = project(query, key, value, masks);
  const Tensor per_head = attention_weights(heads, masks.is_causal);
  const Tensor returned = average_attn_weights ? per_head.mean({1}) : per_head;
  const bool is_batched = query.dim() == 3;
  return {merge_heads(matmul(per_head, heads.value), is_batched),
          is_batched ? returned : returned.squeeze(0)};
}

Tensor MultiheadAttention::to_batch_first(const Tensor& x) const {
  if (x.dim() == 2) return x.unsqueeze(0);
  return batch_first_ ? x : x.transpose(0, 1);
}

MultiheadAttention::Heads MultiheadAttention::project(const Tensor& query, const Tensor& key,
                                                      const Tensor& value,
                                                      const AttentionMasks& masks) const {
  check(query, key, value);
  const Tensor q = to_batch_first(query), k = to_batch_first(key), v = to_batch_first(value);
  std::vector<Tensor> projected;
  if (query.is_same(key) && key.is_same(value)) {
    projected = linear(q, in_proj_weight, in_proj_bias).chunk(3, -1);
  } else {
    const std::vector<Tensor> matrices =
        in_proj_weight.defined() ? in_proj_weight.chunk(3)
                                 : std::vector<Tensor>{q_proj_weight, k_proj_weight, v_proj_weight};
    const std::vector<Tensor> biases =
        in_proj_bias.defined() ? in_proj_bias.chunk(3) : std::vector<Tensor>(3);
    projected = {linear(q, matrices[0], biases[0]), linear(k, matrices[1], biases[1]),
                 linear(v, matrices[2], biases[2])};
  }
  for (Tensor& x : projected) x = x.unflatten(-1, {num_heads_, -1}).transpose(1, 2);
  return {projected[0], projected[1], projected[2],
          combined_mask(masks, query, q.size(0), num_heads_, q.size(1), k.size(1))};
}

/// The attention weights, after dropout.
Tensor MultiheadAttention::attention_weights(const Heads& heads, bool is_causal) const {
  const double scale = std::sqrt(static_cast<double>(heads.query.size(-1)));
  Tensor scores = matmul(heads.query / scale, heads.key.mT());
  if (heads.mask.defined())
    scores = is_additive(heads.mask) ? scores + heads.mask : scores.masked_fill(heads.mask, kMasked);
  if (is_causal) {
    const Sizes pairs = {heads.query.size(-2), heads.key.size(-2)};
    scores = scores.masked_fill(ones(pairs, {.dtype = bool_, .device = scores.device()}).triu(1), kMasked);
  }
  const Tensor weights = softmax(scores, -1);
  return is_training() && dropout_ != 0 ? dropout(weights, dropout_) : weights;
}

/// The heads' results combined, in the query's layout.
Tensor MultiheadAttention::merge_heads(const Tensor& heads, bool is_batched) const {
  const Tensor result = out_proj(heads.transpose(1, 2).flatten(2));
  if (!is_batched) return result.squeeze(0);
  return batch_first_ ? result : result.transpose(0, 1);
}

}  // namespace lectern::nn
