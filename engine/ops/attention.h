#pragma once

#include <cstdint>
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
  /// Grouped queries: query of […, n H, L, E], key and value of H heads, each for n consecutive heads of the
  /// query.
  bool enable_gqa = false;
};

/// softmax(query · keyᵀ · scale) · value for query […, L, E], key […, S, E] and value […, S, Ev], whose
/// leading dimensions are broadcast: […, L, Ev]. A query with no keys gets NaN.
///
/// Memory besides the result is linear in L and S: no L × S matrix is stored, except the gradient of an
/// additive mask where it is needed. The gradient recomputes the weights (Dao et al. 2022, "FlashAttention").
/// Its gradients are computed together. Two ways, see attention_backend():
///
/// - flash, by a kernel of its own (kernels/attention.h): float16, bfloat16 and float32 on a GPU of compute
///   capability 8.0 or more; E = Ev, a multiple of 8 (of float32: of 4) up to 128 (64 on 8.6, 8.9 and 12.x);
///   up to four leading dimensions; a positive scale; no gradient of the mask. Weights are rounded to the
///   dtype, sums are float32. The result's dimensions are in memory in the order of the query's.
///   Deterministic.
/// - composed, everything else: small blocks of queries against all their keys. Dtypes of fewer than 32 bits
///   are computed in float32 and rounded once.
///
/// Floating-point operations: 2 E + 2 Ev + 5 per query–key pair (products and softmax; causal attention skips
/// about half of the pairs and does not count them; masked pairs count), and 1 per element of the scaled
/// queries. Backward 6 E + 4 Ev + 9, and 2. An additive mask: 1 more per pair, both times. Bytes: those of
/// the operands, the mask and the result, or the gradients.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options = {});

enum class AttentionBackend : std::uint8_t { composed, flash };

/// How scaled_dot_product_attention() attends, given the same.
AttentionBackend attention_backend(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const AttentionOptions& options = {});

}  // namespace lectern
