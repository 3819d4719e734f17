#pragma once

#include <cstdint>
#include <string_view>

// Parameters and FLOPs of a decoder-only Transformer, from its sizes alone. Pure functions of numbers,
// without tensors and exceptions, so that calculators in pages run them too. Counts are doubles, exact up to
// 2^53.

namespace lectern::accounting {

/// How positions are encoded.
enum class Positions {
  learned,  ///< a table of `context` vectors, added to the embeddings
  rotary,   ///< queries and keys are rotated: no parameters
};

enum class Norm {
  layer,  ///< scale and, with biases, shift
  rms,    ///< scale only
};

/// The sizes of a Transformer; by default those of the smallest GPT-2. In formulas V, T, d, L, h, g and f are
/// vocabulary, context, width, layers, heads, kv_heads and hidden.
struct Transformer {
  double vocabulary = 50257;
  double context = 1024;
  double width = 768;
  double layers = 12;
  double heads = 12;
  double kv_heads = heads;    ///< fewer than heads: grouped-query attention; 1: multi-query attention
  double hidden = 4 * width;  ///< of the MLP
  bool gated = false;         ///< the MLP has three matrices (SwiGLU and its like), not two
  bool tied = true;           ///< the head shares the token embedding's matrix
  bool biases = true;         ///< in linear layers and norms; never in the head
  Positions positions = Positions::learned;
  Norm norm = Norm::layer;

  constexpr double head_width() const { return width / heads; }
};

/// What is wrong with the sizes ("heads is not a divisor of width"), or nothing. For wrong sizes the
/// functions below return meaningless numbers.
constexpr std::string_view problem(const Transformer& model) {
  struct Check {
    double size;
    std::string_view problem;
  };
  const Check checks[] = {{model.vocabulary, "vocabulary is not a positive integer"},
                          {model.context, "context is not a positive integer"},
                          {model.width, "width is not a positive integer"},
                          {model.layers, "layers is not a positive integer"},
                          {model.heads, "heads is not a positive integer"},
                          {model.kv_heads, "kv_heads is not a positive integer"},
                          {model.hidden, "hidden is not a positive integer"},
                          {model.width / model.heads, "heads is not a divisor of width"},
                          {model.heads / model.kv_heads, "kv_heads is not a divisor of heads"}};
  for (const auto& [size, what] : checks) {
    const bool is_count =
        size >= 1 && size <= 0x1p40 && size == static_cast<double>(static_cast<std::int64_t>(size));
    if (!is_count) return what;
  }
  return {};
}

/// Parameters by part, of all layers together.
struct TransformerParameters {
  double token_embedding;     ///< V d
  double position_embedding;  ///< T d where learned
  double attention;           ///< L (2 d² + 2 d² g / h): projections of queries, keys, values and result
  double mlp;                 ///< L 2 d f, gated L 3 d f
  double norms;               ///< two per layer and a last one
  double head;                ///< V d unless tied

  constexpr double blocks() const { return attention + mlp + norms; }
  constexpr double total() const { return token_embedding + position_embedding + blocks() + head; }
};

constexpr TransformerParameters count_parameters(const Transformer& model) {
  const double d = model.width, kv = model.kv_heads * model.head_width(), f = model.hidden;
  const double bias = model.biases ? 1 : 0;
  const double norm = model.norm == Norm::layer ? d + bias * d : d;
  const double inner_matrices = model.gated ? 2 : 1;
  return {
      .token_embedding = model.vocabulary * d,
      .position_embedding = model.positions == Positions::learned ? model.context * d : 0,
      .attention = model.layers * (2 * d * d + 2 * d * kv + bias * (2 * d + 2 * kv)),
      .mlp = model.layers * ((inner_matrices + 1) * d * f + bias * (inner_matrices * f + d)),
      .norms = (2 * model.layers + 1) * norm,
      .head = model.tied ? 0 : model.vocabulary * d,
  };
}

/// Floating-point operations of the matrix products for one token, by part, of all layers together; a
/// multiply-add is two.
struct TransformerFlops {
  double projections;  ///< L (4 d² + 4 d² g / h)
  double attention;    ///< L 4 d · keys per query: scores and weighted values
  double mlp;          ///< L 4 d f, gated L 6 d f
  double head;         ///< 2 V d

  constexpr double total() const { return projections + attention + mlp + head; }
};

/// The forward pass over sequences of `time` tokens, per token. With causal attention a query has (time + 1)
/// / 2 keys on average where the kernel skips the others, as fused kernels do; without it `time`.
constexpr TransformerFlops forward_flops_per_token(const Transformer& model, double time,
                                                   bool causal = true) {
  const double d = model.width, kv = model.kv_heads * model.head_width();
  return {
      .projections = model.layers * (4 * d * d + 4 * d * kv),
      .attention = model.layers * 4 * d * (causal ? (time + 1) / 2 : time),
      .mlp = model.layers * (model.gated ? 6 : 4) * d * model.hidden,
      .head = 2 * model.vocabulary * d,
  };
}

/// The forward and the backward pass, which takes twice as much: every product of the forward pass has two
/// gradients. What is recomputed (activation checkpointing, the scores in fused attention) is not counted, as
/// MFU wants it (Chowdhery et al. 2022, "PaLM", appendix B).
constexpr double training_flops_per_token(const Transformer& model, double time, bool causal = true) {
  return 3 * forward_flops_per_token(model, time, causal).total();
}

/// 6 N D: forward and backward through N parameters for D tokens (Kaplan et al. 2020). Neglects attention,
/// which is small for T ≪ 6 d, and counts embedding parameters, which compute nothing.
constexpr double six_n_d(double parameters, double tokens) {
  return 6 * parameters * tokens;
}

/// The share of 6 N D that training a chain of L equal linear layers takes when its input needs no gradient:
/// one of 3 L products is not needed.
constexpr double share_without_input_gradient(double layers) {
  return (6 * layers - 2) / (6 * layers);
}

/// Bytes of the keys and values of `tokens` tokens in each of `batch` sequences: 2 L g (d / h) tokens batch,
/// of `bytes_per_element` each.
constexpr double kv_cache_bytes(const Transformer& model, double tokens, double batch,
                                double bytes_per_element = 2) {
  return 2 * model.layers * model.kv_heads * model.head_width() * tokens * batch * bytes_per_element;
}

}  // namespace lectern::accounting
