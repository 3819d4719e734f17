#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nn/linear.h"

namespace lectern::nn {

struct MultiheadAttentionOptions {
  double dropout = 0;  ///< of the attention weights, while it is training
  bool bias = true;
  bool batch_first = false;           ///< [batch, time, features], not [time, batch, features]
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// What a query does not see. As in torch.nn.MultiheadAttention, and other than in
/// scaled_dot_product_attention(), true means: not seen.
struct HiddenKeys {
  Tensor attn_mask = {};         ///< of bool, [L, S] or [N · num_heads, L, S]
  Tensor key_padding_mask = {};  ///< of bool, [N, S], or [S] without a batch: hidden from every query
  bool is_causal = false;        ///< query i sees the keys up to i
};

/// Attention with several heads (Vaswani et al. 2017): query, key and value are projected by in_proj_weight,
/// each num_heads-th of their features attends on its own, and out_proj puts the results together.
///
/// A query [N, L, embed_dim] with keys and values [N, S, embed_dim] gives [N, L, embed_dim]; without
/// batch_first N and L, or S, are exchanged, and there may be no N. The attention weights are not returned:
/// they are stored only where some of them are dropped. Queries that see no key get NaN.
///
/// in_proj_weight begins as xavier_uniform_, biases with zeros, out_proj.weight as that of Linear.
///
/// Floating-point operations of the products for each query: 8 embed_dim² (of the projections of a sequence
/// that attends to itself), and 4 embed_dim for each key that it sees.
class MultiheadAttention : public Module {
 public:
  /// A TensorError unless num_heads divides embed_dim and dropout is in [0, 1].
  MultiheadAttention(std::int64_t embed_dim, std::int64_t num_heads,
                     const MultiheadAttentionOptions& options = {});

  /// A TensorError when shapes do not fit, or a mask is not of bool.
  Tensor operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                    const HiddenKeys& hidden = {}) const;

  std::int64_t embed_dim() const { return out_proj.in_features(); }
  std::int64_t num_heads() const { return num_heads_; }

  Parameter in_proj_weight;  ///< of query, key and value: [3 embed_dim, embed_dim]
  Parameter in_proj_bias;    ///< [3 embed_dim], or undefined
  Linear out_proj;

 private:
  void check(const Tensor& query, const Tensor& key, const Tensor& value) const;
  /// Query, key and value, of a sequence that attends to itself or of each: [batch, heads, time, features].
  std::vector<Tensor> projected(const Tensor& sequence) const;
  std::vector<Tensor> projected(const Tensor& query, const Tensor& key, const Tensor& value) const;
  std::vector<Tensor> in_heads(std::vector<Tensor> all) const;
  Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value, const HiddenKeys& hidden) const;

  std::int64_t num_heads_;
  double dropout_;
  bool batch_first_;
};

}  // namespace lectern::nn
