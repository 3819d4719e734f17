// Training the model of lecture 2.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <lectern/lecture.h>

/// What the model is given, and what it should say.
struct Batch {
  lectern::Tensor x, y;
};
using GetBatch = std::function<Batch(std::int64_t)>;

struct Settings {
  std::int64_t D;
  std::int64_t num_layers;
  std::int64_t B;
  std::int64_t num_train_steps = 10;
  double lr;
};

/// Trains a new model; returns the loss of each step.
std::vector<double> train(const std::string& name, const GetBatch& get_batch,
                          const Settings& settings);
