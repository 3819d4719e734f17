// Lecture 3, a training run.

#pragma once

#include "model.h"

struct Recipe {
  double learning_rate = 4e-3 / kScale;  // the wider the model, the smaller
  int64_t steps = 320;
  int64_t warmup = 32;     // of the steps
  int64_t accumulate = 2;  // batches for each step
  int64_t batch = 8 * kScale;
  double clip = 1;  // the longest gradient
  double weight_decay = 0.1;
  bool autocast = true;
  bool forgets_zero_grad = false;
};

// A model, what trains it, and where its batches come from.
class Run {
 public:
  Run(const ModelSize& size, const Recipe& recipe, std::uint64_t seed = 0);

  double step();  // returns the loss before it
  std::vector<double> steps(int64_t count);

  Checkpoint checkpoint() const;
  void resume(const Checkpoint& from, bool with_optimizer = true);

  Gpt model;
  double gradient_norm = 0;  // of the last step, before it was clipped

 private:
  Recipe recipe_;
  RandomTokenBatches batches_;
  optim::AdamW optimizer_;
  optim::LinearWarmupCosine schedule_;
};

// The mean loss on the same pieces of the held-out text each time, in the mode that the model is in.
double held_out_loss(const Gpt& model);

// The text and what the model lets follow, drawn token by token. Bytes that print nothing are question marks.
std::string continued(Gpt& model, std::string_view text, int64_t tokens);
