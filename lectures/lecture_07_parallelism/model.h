// Lecture 7, the model that is trained in each way, and its data.

#pragma once

#include "parts.h"

constexpr int64_t kWidth = 64, kHidden = 4 * kWidth, kLayers = 4;
constexpr int64_t kRows = 256;  // of a batch
constexpr int kSteps = 8;       // of each training
constexpr double kRate = 3e-3;

// x + down(gelu(up(x))): the feed-forward half of a Transformer's layer.
struct Block : nn::Module {
  nn::Linear up, down;

  Block();
  Tensor operator()(const Tensor& x) const;
};

struct Model : nn::Module {
  nn::ModuleList<Block> blocks;

  Model();
  Tensor operator()(const Tensor& x) const;
};

// Whose numbers follow from the seed alone.
Model seeded_model(std::uint64_t seed = 0);

struct Batch {
  Tensor x, target;  // [rows, width]
};

// The batch of a step: the same on all ranks.
Batch batch_of(int64_t step);
// One of so many equal parts of its rows.
Batch part_of(const Batch& batch, int64_t part, int64_t parts);
// This rank's.
Batch own_part_of(const Batch& batch);

// The mean of squared errors. Of whatever is called as the model is.
template <typename Network>
Tensor loss_of(const Network& network, const Batch& batch) {
  return mse_loss(network(batch.x), batch.target);
}

// What one process does that takes the parts of a batch one after the other, and then the mean of their gradients.
void backward_by_parts(const Model& model, const Batch& batch, int64_t parts);
// The steps of training so, from one on; and all of them.
void train_by_parts(Model& model, optim::Optimizer& optimizer, int64_t from);
void train_by_parts(Model& model);

// The steps from one on, up to another, of a model that takes this rank's part of each batch.  @stepover
template <typename Network>
void train_own_part(const Network& network, optim::Optimizer& optimizer, int64_t from, int64_t to = kSteps) {
  for (int64_t step = from; step < to; ++step) {
    optimizer.zero_grad();
    loss_of(network, own_part_of(batch_of(step))).backward();
    optimizer.step();
  }
}

// Bit by bit.
bool same_gradients(const nn::Module& a, const nn::Module& b);
bool same_parameters(const nn::Module& a, const nn::Module& b);

// A batch that nothing was trained on.
double final_loss(const Model& model);

// For the table at the end: what a way of training took, and where it led.
struct Outcome {
  std::string way;
  double loss;
  int64_t state_bytes;  // of parameters, gradients and optimizer on this rank
  int64_t sent_bytes;   // in a step
};
std::vector<Outcome>& outcomes();

// Bytes of parameters, gradients and optimizers that have come since.
int64_t state_since(const MemoryByCategory& before);
