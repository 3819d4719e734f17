#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nn/linear.h"

namespace lectern::nn {

struct MultiheadAttentionOptions {
  double dropout = 0;  ///< of the attention weights, while it is training
  bool bias = true;
  std::optional<std::int64_t> kdim = {};  ///< features of keys; embed_dim
  std::optional<std::int64_t> vdim = {};  ///< features of values; embed_dim
  bool batch_first = false;               ///< [batch, time, features], not [time, batch, features]
  std::optional<Dtype> dtype = {};        ///< float32
  std::optional<Device> device = {};      ///< default_device()
};

/// What a query does not see. As in torch.nn.MultiheadAttention, and other than in
/// scaled_dot_product_attention(), true in a mask of bool means: not seen. A mask of the query's dtype (under
/// autocast, of any floating one) is added to the scores.
struct HiddenKeys {
  Tensor attn_mask = {};         ///< [L, S] or [N · num_heads, L, S]
  Tensor key_padding_mask = {};  ///< [N, S], or [S] without a batch: the same for every query
  bool is_causal = false;        ///< query i sees the keys up to i
};

/// Attention with several heads (Vaswani et al. 2017): query, key and value are projected to embed_dim
/// features, each num_heads-th of these attends on its own, and out_proj puts the results together.
///
/// A query [N, L, embed_dim] with keys [N, S, kdim] and values [N, S, vdim] gives [N, L, embed_dim]; without
/// batch_first N and L, or S, are exchanged, and there may be no N. Queries that see no key get NaN.
///
/// Weights begin as xavier_uniform_, biases with zeros, out_proj.weight as that of Linear.
///
/// Floating-point operations of the products for each query: 8 embed_dim² (of the projections of a sequence
/// that attends to itself), and 4 embed_dim for each key that it sees.
class MultiheadAttention : public Module {
 public:
  /// A TensorError unless num_heads divides embed_dim, dropout is in [0, 1], and kdim and vdim 0 or more.
  MultiheadAttention(std::int64_t embed_dim, std::int64_t num_heads,
                     const MultiheadAttentionOptions& options = {});

  /// The attention weights are stored only where some of them are dropped. A TensorError when shapes do not
  /// fit, or the dtype of a mask.
  Tensor operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                    const HiddenKeys& hidden = {}) const;

  struct Weighted {
    Tensor output;
    Tensor weights;  ///< [N, L, S], or [N, num_heads, L, S] of each head; without a batch there is no N
  };
  /// What PyTorch returns with need_weights, where average_attn_weights is the default: the weights too,
  /// those that were dropped as 0. Errors are the same.
  Weighted with_weights(const Tensor& query, const Tensor& key, const Tensor& value,
                        const HiddenKeys& hidden = {}, bool average_attn_weights = true) const;

  std::int64_t embed_dim() const { return out_proj.in_features(); }
  std::int64_t num_heads() const { return num_heads_; }
  std::int64_t kdim() const { return kdim_; }
  std::int64_t vdim() const { return vdim_; }

  Parameter in_proj_weight;  ///< of query, key and value: [3 embed_dim, embed_dim], or undefined
  Parameter q_proj_weight;   ///< in its place where kdim or vdim is not embed_dim: [embed_dim, embed_dim]
  Parameter k_proj_weight;   ///< [embed_dim, kdim]
  Parameter v_proj_weight;   ///< [embed_dim, vdim]
  Parameter in_proj_bias;    ///< [3 embed_dim], or undefined
  Linear out_proj;

 private:
  /// [batch, heads, time, features], and what broadcasts to [batch, heads, queries, keys], or is undefined.
  struct Heads {
    Tensor query, key, value, mask;
  };

  void check(const Tensor& query, const Tensor& key, const Tensor& value) const;
  Tensor batch_first(const Tensor& x) const;
  Heads in_heads(const Tensor& query, const Tensor& key, const Tensor& value, const HiddenKeys& hidden) const;
  Tensor weights(const Heads& heads, bool is_causal) const;
  Tensor together(const Tensor& heads, bool is_batched) const;

  std::int64_t num_heads_, kdim_, vdim_;
  double dropout_;
  bool batch_first_;
};

}  // namespace lectern::nn
