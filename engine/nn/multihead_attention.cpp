#include "nn/multihead_attention.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/tensor_error.h"
#include "nn/init.h"
#include "nn/repr.h"
#include "ops/attention.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/losses.h"
#include "ops/matmul.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/triangle.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

constexpr std::string_view kName = "MultiheadAttention";

void check_mask(const std::string& mask_name, const Tensor& mask, const Sizes& shape, const Sizes& other) {
  if (mask.dtype() != bool_) {
    throw TensorError(kName, "the dtype of " + mask_name, "bool", std::string(name(mask.dtype())));
  }
  if (mask.sizes() != shape && mask.sizes() != other) {
    throw TensorError(kName, "the shape of " + mask_name,
                      to_string(shape) + (shape == other ? "" : " or " + to_string(other)),
                      to_string(mask.sizes()));
  }
}

/// Both masks in one that broadcasts to [batch, heads, queries, keys]; undefined where there is none.
Tensor merged(const HiddenKeys& hidden, std::int64_t batch, std::int64_t heads, std::int64_t queries,
              std::int64_t keys) {
  Tensor mask;
  if (hidden.attn_mask.defined()) {
    check_mask("attn_mask", hidden.attn_mask, {queries, keys}, {batch * heads, queries, keys});
    mask = hidden.attn_mask.dim() == 2 ? hidden.attn_mask : hidden.attn_mask.unflatten(0, {batch, heads});
  }
  if (hidden.key_padding_mask.defined()) {
    const Tensor& padding = hidden.key_padding_mask;
    check_mask("key_padding_mask", padding, {batch, keys}, batch == 1 ? Sizes{keys} : Sizes{batch, keys});
    const Tensor of_keys = padding.reshape({batch, 1, 1, keys});
    mask = mask.defined() ? mask.logical_or(of_keys) : of_keys;
  }
  return mask;
}

}  // namespace

MultiheadAttention::MultiheadAttention(std::int64_t embed_dim, std::int64_t num_heads,
                                       const MultiheadAttentionOptions& options)
    : out_proj(embed_dim, embed_dim,
               {.bias = options.bias, .dtype = options.dtype, .device = options.device}),
      num_heads_(num_heads),
      dropout_(options.dropout),
      batch_first_(options.batch_first) {
  if (num_heads <= 0 || embed_dim % num_heads != 0) {
    throw TensorError(kName, "num_heads", "a divisor of embed_dim, " + std::to_string(embed_dim),
                      std::to_string(num_heads));
  }
  if (!(dropout_ >= 0 && dropout_ <= 1)) throw TensorError(kName, "dropout", "in [0, 1]", repr(dropout_));
  const TensorOptions of{.dtype = options.dtype, .device = options.device};
  in_proj_weight = Parameter(empty({3 * embed_dim, embed_dim}, of));
  if (options.bias) in_proj_bias = Parameter(zeros({3 * embed_dim}, of));
  LECTERN_REGISTER(in_proj_weight, in_proj_bias, out_proj);
  init::xavier_uniform_(in_proj_weight);
  if (options.bias) init::zeros_(out_proj.bias);
}

void MultiheadAttention::check(const Tensor& query, const Tensor& key, const Tensor& value) const {
  const auto refuse = [&](const std::string& expected) {
    throw TensorError(
        kName, "the shapes of query, key and value", expected,
        to_string(query.sizes()) + ", " + to_string(key.sizes()) + " and " + to_string(value.sizes()));
  };
  const std::int64_t dims = query.dim();
  if ((dims != 2 && dims != 3) || key.dim() != dims || value.dim() != dims) {
    refuse("of three dimensions, or of two without a batch");
  }
  if (query.size(-1) != embed_dim() || key.size(-1) != embed_dim() || value.size(-1) != embed_dim()) {
    refuse("of embed_dim, " + std::to_string(embed_dim()) + ", in the last dimension");
  }
  const std::int64_t batch_dim = batch_first_ ? 0 : 1;
  if (key.sizes() != value.sizes() || (dims == 3 && query.size(batch_dim) != key.size(batch_dim))) {
    refuse("of the same batch, with as many values as keys");
  }
}

Tensor MultiheadAttention::operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const HiddenKeys& hidden) const {
  check(query, key, value);
  const bool is_batched = query.dim() == 3;
  const auto batch_first = [&](const Tensor& x) {
    if (!is_batched) return x.unsqueeze(0);
    return batch_first_ ? x : x.transpose(0, 1);
  };
  const bool is_self = query.is_same(key) && key.is_same(value);
  const std::vector<Tensor> heads = is_self
                                        ? projected(batch_first(query))
                                        : projected(batch_first(query), batch_first(key), batch_first(value));
  const Tensor seen = attend(heads[0], heads[1], heads[2], hidden);
  const Tensor result = out_proj(seen.transpose(1, 2).flatten(2));
  if (!is_batched) return result.squeeze(0);
  return batch_first_ ? result : result.transpose(0, 1);
}

std::vector<Tensor> MultiheadAttention::projected(const Tensor& sequence) const {
  return in_heads(linear(sequence, in_proj_weight, in_proj_bias).chunk(3, -1));
}

std::vector<Tensor> MultiheadAttention::projected(const Tensor& query, const Tensor& key,
                                                  const Tensor& value) const {
  const std::vector<Tensor> weights = in_proj_weight.chunk(3);
  const std::vector<Tensor> biases = in_proj_bias.defined() ? in_proj_bias.chunk(3) : std::vector<Tensor>(3);
  return in_heads({linear(query, weights[0], biases[0]), linear(key, weights[1], biases[1]),
                   linear(value, weights[2], biases[2])});
}

std::vector<Tensor> MultiheadAttention::in_heads(std::vector<Tensor> all) const {
  for (Tensor& x : all) x = x.unflatten(-1, {num_heads_, -1}).transpose(1, 2);
  return all;
}

Tensor MultiheadAttention::attend(const Tensor& query, const Tensor& key, const Tensor& value,
                                  const HiddenKeys& hidden) const {
  const Tensor mask = merged(hidden, query.size(0), num_heads_, query.size(2), key.size(2));
  if (!is_training() || dropout_ == 0) {
    const Tensor seen = mask.defined() ? mask.logical_not() : Tensor();
    return scaled_dot_product_attention(query, key, value,
                                        {.attn_mask = seen, .is_causal = hidden.is_causal});
  }
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  Tensor scores = matmul(query / std::sqrt(static_cast<double>(query.size(-1))), key.mT());
  if (mask.defined()) scores = scores.masked_fill(mask, kNever);
  if (hidden.is_causal) {
    const Sizes each = {query.size(-2), key.size(-2)};
    scores = scores.masked_fill(ones(each, {.dtype = bool_, .device = query.device()}).triu(1), kNever);
  }
  return matmul(dropout(softmax(scores, -1), dropout_), value);
}

}  // namespace lectern::nn
