#pragma once

#include <cstdint>
#include <optional>

#include "nn/kv_cache.h"
#include "nn/linear.h"

namespace lectern::nn {

struct MultiheadAttentionOptions {
  double dropout = 0;  ///< of the attention weights, in training mode
  bool bias = true;
  std::optional<std::int64_t> kdim = {};  ///< features of keys; embed_dim
  std::optional<std::int64_t> vdim = {};  ///< features of values; embed_dim
  bool batch_first = false;               ///< [batch, time, features], not [time, batch, features]
  std::optional<Dtype> dtype = {};        ///< float32
  std::optional<Device> device = {};      ///< default_device()
};

/// The keys that queries must not attend to. As in torch.nn.MultiheadAttention, but unlike
/// scaled_dot_product_attention(), true in a bool mask means masked out. A mask of the query's dtype (under
/// autocast, any floating one) is added to the scores.
struct AttentionMasks {
  Tensor attn_mask = {};         ///< [L, S] or [N · num_heads, L, S]
  Tensor key_padding_mask = {};  ///< [N, S], or [S] without a batch: the same for every query
  bool is_causal = false;        ///< query i attends to keys up to i
};

/// Multi-head attention (Vaswani et al. 2017): query, key and value are projected to embed_dim features,
/// split among num_heads heads that attend separately, and combined by out_proj.
///
/// A query [N, L, embed_dim] with keys [N, S, kdim] and values [N, S, vdim] gives [N, L, embed_dim]; without
/// batch_first N and L, or S, are swapped, and N may be absent. Queries with no keys get NaN.
///
/// Weights are initialised by xavier_uniform_, biases with zeros, out_proj.weight like Linear's.
///
/// Floating-point operations of the matrix products per query: 8 embed_dim² (projections, for self-attention)
/// and 4 embed_dim per key attended to.
class MultiheadAttention : public Module {
 public:
  /// A TensorError unless num_heads divides embed_dim, dropout is in [0, 1], and kdim and vdim are ≥ 0.
  MultiheadAttention(std::int64_t embed_dim, std::int64_t num_heads,
                     const MultiheadAttentionOptions& options = {});

  /// Stores the attention weights only when dropout applies. A TensorError when shapes or a mask's dtype do
  /// not fit.
  Tensor operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                    const AttentionMasks& masks = {}) const;

  /// Self-attention of tokens that follow those in the cache, to all of them and causally to themselves; the
  /// cache has them then, too. Without dropout, and no gradients. A TensorError when they don't fit.
  Tensor operator()(const Tensor& x, KeyValueCache& cache) const;

  struct Weighted {
    Tensor output;
    Tensor weights;  ///< [N, L, S], or [N, num_heads, L, S] per head; no N without a batch
  };
  /// As PyTorch with need_weights, where average_attn_weights is the default: also returns the weights, with
  /// dropped ones as 0. Errors are the same.
  Weighted with_weights(const Tensor& query, const Tensor& key, const Tensor& value,
                        const AttentionMasks& masks = {}, bool average_attn_weights = true) const;

  std::int64_t embed_dim() const { return out_proj.in_features(); }
  std::int64_t num_heads() const { return num_heads_; }
  std::int64_t kdim() const { return kdim_; }
  std::int64_t vdim() const { return vdim_; }

  Parameter in_proj_weight;  ///< of query, key and value: [3 embed_dim, embed_dim], or undefined
  Parameter q_proj_weight;   ///< instead, where kdim or vdim is not embed_dim: [embed_dim, embed_dim]
  Parameter k_proj_weight;   ///< [embed_dim, kdim]
  Parameter v_proj_weight;   ///< [embed_dim, vdim]
  Parameter in_proj_bias;    ///< [3 embed_dim], or undefined
  Linear out_proj;

 private:
  /// [batch, heads, time, features]; the mask broadcasts to [batch, heads, queries, keys] or is undefined.
  struct Heads {
    Tensor query, key, value, mask;
  };

  void check(const Tensor& query, const Tensor& key, const Tensor& value) const;
  Tensor to_batch_first(const Tensor& x) const;
  Heads project(const Tensor& query, const Tensor& key, const Tensor& value,
                const AttentionMasks& masks) const;
  Tensor attention_weights(const Heads& heads, bool is_causal) const;
  Tensor merge_heads(const Tensor& heads, bool is_batched) const;

  std::int64_t num_heads_, kdim_, vdim_;
  double dropout_;
  bool batch_first_;
};

}  // namespace lectern::nn
