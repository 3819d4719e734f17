// Lecture 3, the model.

#pragma once

#include "data.h"
#include "parts.h"

struct ModelSize {
  int64_t vocabulary = kVocabulary;  // V
  int64_t context = 64 * kScale;     // T, how far it looks back
  int64_t width = 64 * kScale;       // d
  int64_t layers = 2 * kScale;       // L
  int64_t heads = 2 * kScale;
  double dropout = 0;
};

struct Block : nn::Module {
  nn::LayerNorm norm1;
  nn::MultiheadAttention attention;
  nn::LayerNorm norm2;
  nn::Linear up, down;
  nn::Dropout dropout;

  explicit Block(const ModelSize& size);
  Tensor operator()(const Tensor& x) const;
};

struct Gpt : nn::Module {
  nn::Embedding tokens;
  nn::Embedding positions;
  nn::Dropout dropout;
  nn::ModuleList<Block> blocks;
  nn::LayerNorm norm;
  nn::Linear head;
  bool is_checkpointed = false;  // whether blocks are computed again for backward()

  explicit Gpt(const ModelSize& size);
  Tensor operator()(const Tensor& input) const;
};

// The mean of -ln p of the targets.
Tensor loss_of(const Gpt& model, const Tensor& inputs, const Tensor& targets);

int64_t number_of_parameters(const ModelSize& size);
