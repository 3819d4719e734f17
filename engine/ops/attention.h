#pragma once

#include <optional>

#include "tensor/tensor.h"

namespace lectern {

struct AttentionOptions {
  /// Broadcast to […, L, S]. bool: true where a query attends to a key; the query's dtype: added to the
  /// scores. Undefined: every query attends to every key.
  Tensor attn_mask = {};
  /// Query i attends to keys up to i.
  bool is_causal = false;
  /// 1 / √E by default.
  std::optional<double> scale = {};
};

/// softmax(query · keyᵀ · scale) · value for query […, L, E], key […, S, E] and value […, S, Ev], whose
/// leading dimensions are broadcast: […, L, Ev]. A query with no keys gets NaN.
///
/// Queries are processed in small blocks against all their keys, so that memory besides the result is linear
/// in L and S: no L × S matrix is stored, except the gradient of an additive mask where it is needed. The
/// gradient recomputes each block's weights (Dao et al. 2022, "FlashAttention", also tiles the keys). Dtypes
/// of fewer than 32 bits are computed in float32 and rounded once. The gradients are computed together.
///
/// Floating-point operations: 2 E + 2 Ev + 5 per query–key pair (products and softmax; causal attention skips
/// about half of the pairs and does not count them; masked pairs count), and 1 per element of the scaled
/// queries. Backward 6 E + 4 Ev + 9, and 2. An additive mask: 1 more per pair, both times. Bytes: those of
/// the operands, the mask and the result, or the gradients.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options = {});

}  // namespace lectern
