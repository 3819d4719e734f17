// Lecture 3, the model.

#pragma once

#include <cstdint>

#include <lectern/lecture.h>

#include "data.h"
#include "parts.h"

struct ModelSize {
  std::int64_t vocabulary = kVocabulary;  // V
  std::int64_t context = 64 * kScale;     // T, how far it looks back
  std::int64_t width = 64 * kScale;       // d
  std::int64_t layers = 2 * kScale;       // L
  std::int64_t heads = 2 * kScale;
  double dropout = 0;
};

struct Block : lectern::nn::Module {
  lectern::nn::LayerNorm norm1;
  lectern::nn::MultiheadAttention attention;
  lectern::nn::LayerNorm norm2;
  lectern::nn::Linear up, down;
  lectern::nn::Dropout dropout;

  explicit Block(const ModelSize& size);
  lectern::Tensor operator()(const lectern::Tensor& x) const;
};

struct Gpt : lectern::nn::Module {
  lectern::nn::Embedding tokens;
  lectern::nn::Embedding positions;
  lectern::nn::Dropout dropout;
  lectern::nn::ModuleList<Block> blocks;
  lectern::nn::LayerNorm norm;
  lectern::nn::Linear head;
  bool is_checkpointed = false;  // whether blocks are computed again for backward()

  explicit Gpt(const ModelSize& size);
  lectern::Tensor operator()(const lectern::Tensor& input) const;
};

// The mean of -ln p of the targets.
lectern::Tensor loss_of(const Gpt& model, const lectern::Tensor& inputs,
                        const lectern::Tensor& targets);

std::int64_t number_of_parameters(const ModelSize& size);
