#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/module_list.h"
#include "nn/normalization.h"
#include "nn/transformer_block.h"
#include "ops/cross_entropy.h"

namespace lectern::nn {

/// The sizes of a GPT; by default the smallest GPT-2's, of 124 million parameters. In formulas
/// V, T, d and L are vocab_size, context_length, width and layers.
struct GPTConfig {
  std::int64_t vocab_size = 50257;
  std::int64_t context_length = 1024;
  std::int64_t width = 768;
  std::int64_t layers = 12;
  std::int64_t heads = 12;
  double dropout = 0;
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()

  /// (V + T) d + L (12 d² + 13 d) + 2 d: embeddings, blocks, the last norm. The head shares the embedding's.
  std::int64_t num_parameters() const;
  /// Floating-point operations per token of the matrix products in a forward pass over `time` tokens: L (24
  /// d² + 2 d (time + 1)) + 2 V d, as a token attends to (time + 1) / 2 tokens on average. Backward takes
  /// twice as many, and 2.5 times those of attention, whose weights it recomputes.
  std::int64_t flops_per_token(std::int64_t time) const;
};

/// A decoder-only Transformer that predicts the next token (Radford et al. 2019, GPT-2): token and position
/// embeddings are added and go through causal blocks and a norm; the logits are products with all token
/// embeddings.
///
/// Weights are initialised normal with standard deviation 0.02, or 0.02 / √(2 L) where a block adds to its
/// input; biases with zeros.
class GPT : public Module {
 public:
  /// A TensorError unless heads divides width, and for negative sizes.
  explicit GPT(const GPTConfig& config);

  /// Logits [batch, time, vocab_size] for int64 or int32 tokens [batch, time]. A TensorError for sequences
  /// longer than context_length, or a token not in the vocabulary.
  Tensor operator()(const Tensor& tokens) const;

  /// The logits [batch, vocab_size] after the last of the tokens, which follow `before` others: the caches,
  /// one per block, have those, and these then, too. Without dropout. A TensorError when they don't fit.
  Tensor next_logits(const Tensor& tokens, std::int64_t before, std::vector<KeyValueCache>& caches) const;

  /// The cross-entropy of these logits and the int64 targets [batch, time], without more than some of the
  /// logits at a time (ops/linear_cross_entropy.h), which also says what it costs.
  Tensor loss(const Tensor& tokens, const Tensor& targets, const ClassLossOptions& options = {}) const;

  const GPTConfig& config() const { return config_; }

  Embedding token_embedding;
  Embedding position_embedding;
  Dropout dropout;
  ModuleList<TransformerBlock> blocks;
  LayerNorm norm;
  Linear head;  ///< shares token_embedding's weight

 private:
  /// What the first block reads, of tokens that follow `before` others.
  Tensor embedded(const Tensor& tokens, std::int64_t before) const;
  /// What the head reads.
  Tensor features(const Tensor& tokens) const;

  GPTConfig config_;
};

}  // namespace lectern::nn
