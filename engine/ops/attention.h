#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace lectern {

struct AttentionOptions {
  /// Broadcast to […, L, S]. Of bool: where a query sees a key; of the query's dtype: what is added to the
  /// scores. Undefined: every query sees every key.
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
/// 2022, "FlashAttention", does the same with tiles of the keys, too). Only the gradient of a mask that is
/// added, where it is wanted, is one. Dtypes of fewer than 32 bits are computed in float32 and rounded once.
/// The gradients come together.
///
/// Floating-point operations: for each query with each key that it sees 2 E + 2 Ev + 5 (products and softmax;
/// when it is causal, about half of the pairs count, as the others are skipped; what a mask hides counts),
/// and 1 for each element of the scaled queries. Backward 6 E + 4 Ev + 9, and 2. A mask that is added: 1 more
/// for each of the pairs, both times. Bytes: those of the operands, the mask and the result, or the
/// gradients.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options = {});

}  // namespace lectern
