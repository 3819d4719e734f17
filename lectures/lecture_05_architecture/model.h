// Lecture 5, a Transformer of which each part is a choice.

#pragma once

#include "parts.h"

enum class Positions { none, learned, rotary };

// GPT-2's choices, at a size that takes a second to train.
struct Choices {
  int64_t vocabulary = 128;  // V, bytes below 128
  int64_t context = 32;      // T
  int64_t width = 48;        // d
  int64_t layers = 2;        // L
  int64_t heads = 4;         // h
  int64_t kv_heads = 4;      // g, heads of keys and values
  int64_t latent = 0;        // r, what keys and values are computed from; 0: from the token itself
  int64_t hidden = 192;      // f, the width within the feed-forward network
  int64_t experts = 1;       // E, of these networks
  int64_t chosen = 1;        // k, experts that a token goes to
  bool post_norm = false;
  bool rms = false;
  bool biases = true;
  bool gated = false;
  bool tied = true;
  Positions positions = Positions::learned;

  int64_t head_width() const { return width / heads; }
  // The features of a head that turn with the position. In latent attention they are apart from the others.
  int64_t rotary_width() const {
    if (positions != Positions::rotary) return 0;
    return latent > 0 ? head_width() / 2 : head_width();
  }
};

// LayerNorm or RMSNorm, with or without a bias.
struct Norm : nn::Module {
  bool rms;
  nn::Parameter weight, bias;

  explicit Norm(const Choices& choices);
  Tensor operator()(const Tensor& x) const;
};

// x [batch, time, heads, features] with each pair of features turned by its position's angle, of a table of them.
Tensor turned(const Tensor& x, const Tensor& angles, int64_t first_position = 0);

// Causal self-attention of h heads of queries with g heads of keys and values.
struct GroupedAttention : nn::Module {
  int64_t heads, kv_heads;
  Tensor angles;  // of rotary positions, undefined without
  nn::Linear query, key, value, out;

  explicit GroupedAttention(const Choices& choices);
  Tensor operator()(const Tensor& x) const;
  // The same for tokens that follow those in the cache.
  Tensor operator()(const Tensor& x, nn::KeyValueCache& cache) const;

  struct Projected {
    Tensor q, k, v;  // [batch, heads, time, features]
  };
  // Of tokens that follow `before` others.
  Projected projected(const Tensor& x, int64_t before) const;
};

// Causal self-attention whose keys and values are computed from a latent vector of each token.
struct LatentAttention : nn::Module {
  int64_t heads;
  Tensor angles;  // as above
  nn::Linear query, down, key, value, out;
  nn::Linear rotary_query, rotary_key;  // of no features without rotary positions

  explicit LatentAttention(const Choices& choices);
  Tensor operator()(const Tensor& x) const;
};

// The feed-forward network: two matrices, or three when it is gated.
struct FeedForward : nn::Module {
  nn::Linear up, gate, down;
  bool is_gated;

  explicit FeedForward(const Choices& choices);
  Tensor operator()(const Tensor& x) const;
};

// Several of them, and a router that sends each token to some.
struct Experts : nn::Module {
  int64_t chosen;
  nn::Linear router;
  nn::ModuleList<FeedForward> each;
  mutable Tensor load;     // how many tokens each expert got last
  mutable Tensor balance;  // a loss that is 1 when all get the same, and E when one gets everything

  explicit Experts(const Choices& choices);
  Tensor operator()(const Tensor& x) const;
};

struct Block : nn::Module {
  bool post_norm;
  Norm norm1, norm2;
  std::shared_ptr<GroupedAttention> grouped;  // one of these two…
  std::shared_ptr<LatentAttention> latent;
  std::shared_ptr<FeedForward> dense;  // …and one of these
  std::shared_ptr<Experts> sparse;

  explicit Block(const Choices& choices);
  Tensor operator()(const Tensor& x) const;
};

struct Transformer : nn::Module {
  Choices choices;
  nn::Embedding tokens;
  nn::Embedding places;  // of no rows unless positions are learned
  nn::ModuleList<Block> blocks;
  Norm norm;  // after the last block, unless the blocks end with one
  nn::Linear head;

  explicit Transformer(const Choices& choices);
  Tensor operator()(const Tensor& input) const;
};

// The mean of -ln p of the targets.
Tensor loss_of(const Transformer& model, const Tensor& inputs, const Tensor& targets);

// What follows from the choices alone, for the whole model. The operations are those of a forward pass of so many
// sequences, each of `context` tokens, of models without experts.
int64_t parameters_of(const Choices& choices);
int64_t forward_flops_of(const Choices& choices, int64_t sequences);
int64_t cached_numbers_of(const Choices& choices);  // kept of each token, to generate the next

// A model whose numbers follow from the seed alone.
Transformer seeded(const Choices& choices, std::uint64_t seed);
