#pragma once

#include <cstdint>
#include <optional>

#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/module_list.h"
#include "nn/normalization.h"
#include "nn/transformer_block.h"

namespace lectern::nn {

/// The sizes of a GPT; at first those of GPT-2's smallest, of 124 million parameters. In formulas V, T, d and
/// L are vocab_size, context_length, width and layers.
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
  /// Floating-point operations of the products of a forward pass over `time` tokens, for each of them:
  /// L (24 d² + 2 d (time + 1)) + 2 V d. As a token sees those before it, it sees (time + 1) / 2 on average.
  /// Backward takes twice as many, and those of attention, of which it computes the weights once more, 2.5
  /// times.
  std::int64_t flops_per_token(std::int64_t time) const;
};

/// A Transformer that predicts the next token (Radford et al. 2019, GPT-2): embeddings of tokens and of their
/// positions are added and go through blocks, in which each token sees itself and those before it, and a
/// norm; their products with the embeddings of all tokens are the logits.
///
/// Weights begin normal with standard deviation 0.02, and with 0.02 / √(2 L) where a block adds to its input;
/// biases with zeros.
class GPT : public Module {
 public:
  /// A TensorError unless heads divides width, and for sizes below 0.
  explicit GPT(const GPTConfig& config);

  /// Logits [batch, time, vocab_size] of tokens [batch, time], of int64 or int32. A TensorError when there
  /// are more than context_length in a row, or one is not in the vocabulary.
  Tensor operator()(const Tensor& tokens) const;

  const GPTConfig& config() const { return config_; }

  Embedding token_embedding;
  Embedding position_embedding;
  Dropout dropout;
  ModuleList<TransformerBlock> blocks;
  LayerNorm norm;
  Linear head;  ///< its weight is that of token_embedding

 private:
  GPTConfig config_;
};

}  // namespace lectern::nn
