#pragma once

#include <cstdint>
#include <optional>

#include "nn/dropout.h"
#include "nn/linear.h"
#include "nn/multihead_attention.h"
#include "nn/normalization.h"

namespace lectern::nn {

struct TransformerBlockOptions {
  std::optional<std::int64_t> dim_feedforward = {};  ///< 4 d_model
  double dropout = 0;
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// A pre-norm Transformer block on x [batch, time, d_model], or without a batch:
///
///   x = x + attention(norm1(x))
///   x = x + linear2(gelu(linear1(norm2(x))))
///
/// with dropout of the attention weights, after gelu, and before each addition. Parameters have the names and
/// initialisation of torch.nn.TransformerEncoderLayer(d_model, nhead, …, activation="gelu", batch_first=True,
/// norm_first=True).
///
/// With d = d_model and dim_feedforward = 4 d it has 12 d² + 13 d parameters. Floating-point operations of
/// the matrix products per token: 24 d², and 4 d per token attended to.
class TransformerBlock : public Module {
 public:
  /// A TensorError unless nhead divides d_model.
  TransformerBlock(std::int64_t d_model, std::int64_t nhead, const TransformerBlockOptions& options = {});

  Tensor operator()(const Tensor& x, const AttentionMasks& masks = {}) const;
  /// The same for tokens that follow those in the cache, causally and without dropout.
  Tensor operator()(const Tensor& x, KeyValueCache& cache) const;

  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1;
  LayerNorm norm2;
  Dropout dropout1;
  Dropout dropout2;
};

}  // namespace lectern::nn
