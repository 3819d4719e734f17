#pragma once

#include <compare>
#include <cstdint>

#include "base/dtype.h"
#include "kernels/cuda/cudnn_graph.h"

// Attention and its gradient as graphs of the forms that cuDNN's engines for it recognise, which are those
// that NVIDIA's cudnn-frontend makes (include/cudnn_frontend/node/scaled_dot_product_flash_attention.h
// there).

namespace lectern::kernels::cuda {

/// [batch, heads, rows, columns] in memory, of contiguous columns.
struct AttentionShape {
  CudnnGraph::Sizes sizes{}, strides{};

  friend auto operator<=>(const AttentionShape&, const AttentionShape&) = default;
};

/// The same key and value heads serve several query heads where they are fewer.
struct AttentionForm {
  Dtype dtype;
  bool is_causal;
  AttentionShape query, key, value, out;
  AttentionShape grad, query_gradient, key_gradient, value_gradient;  ///< of the gradient only

  friend auto operator<=>(const AttentionForm&, const AttentionForm&) = default;
};

/// The numbers of the graph's tensors in memory. `log_sum_exp` is [batch, heads, queries], contiguous, of
/// base e.
struct AttentionTensors {
  CudnnGraph::TensorNumber query, key, value, out, log_sum_exp;
  CudnnGraph::TensorNumber scale, hidden;  ///< values: `hidden` is the score of a key that is not seen
  CudnnGraph::TensorNumber grad, query_gradient, key_gradient, value_gradient;  ///< of the gradient only
  CudnnGraph::TensorNumber grad_sums, one;  ///< of the gradient only: like log_sum_exp, and the value 1
  CudnnGraph::TensorNumber query_sums;      ///< of the gradient that adds: float32, contiguous, like query
};

/// How the query's gradient is summed over the keys: from a temporary of attention_pair_bytes(), which always
/// gives the same bits; or in float32, to which several blocks add, in any order.
enum class QueryGradientSum : std::uint8_t { stores_pairs, adds };

/// Adds attention to an empty graph: `out` and `log_sum_exp` from the rest.
AttentionTensors add_attention(CudnnGraph& graph, const AttentionForm& form);
/// Adds its gradients.
AttentionTensors add_attention_gradient(CudnnGraph& graph, const AttentionForm& form, QueryGradientSum sum);

/// What cuDNN stores of the gradients of the scores, for all pairs of a query and a key.
std::int64_t attention_pair_bytes(const AttentionForm& form);

}  // namespace lectern::kernels::cuda
