// Lecture 4, the plan of a run of 1.28 billion parameters.

#pragma once

#include "parts.h"

// GPT-2's form: a table of 2,048 positions, biases, the head tied to the embedding.
inline constexpr accounting::Transformer kModel{
    .vocabulary = 32000, .context = 2048, .width = 2048, .layers = 24, .heads = 32};

struct Plan {
  double gpus = 8;
  double tokens = 300e9;
  double mfu = 0.5;
  double sequences = 8;  // on a GPU at a time
  double accumulate = 4;

  double step_tokens() const { return gpus * sequences * accumulate * kModel.context; }
  double steps() const { return tokens / step_tokens(); }
};
