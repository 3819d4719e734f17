#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace lectern {

struct AttentionOptions {
  /// Of bool, broadcast to […, L, S]: where a query sees a key. Undefined: everywhere.
  Tensor attn_mask = {};
  /// Query i sees the keys up to i.
  bool is_causal = false;
  /// 1 / √E by itself.
  std::optional<double> scale = {};
};

/// softmax(query · keyᵀ · scale) · value, for query […, L, E], key […, S, E] and value […, S, Ev], of which
/// the leading dimensions are broadcast: […, L, Ev]. A query that sees no key gets NaN.
///
/// A few queries at a time see all their keys, so that memory besides the result is linear in L and S: no
/// L × S matrix is ever stored. The gradient computes the weights of each few queries once more (Dao et al.
/// 2022, "FlashAttention", does the same with tiles of the keys, too). Dtypes of fewer than 32 bits are
/// computed in float32 and rounded once. Costs are those of the products and of softmax, of what is seen:
/// about half of it when it is causal.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options = {});

}  // namespace lectern
