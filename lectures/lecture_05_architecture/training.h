// Lecture 5, how its models are trained and compared.

#pragma once

#include "model.h"

struct Recipe {
  int64_t steps = 80;
  int64_t warmup = 10;
  int64_t batch = 8;  // sequences
  double rate = 5e-3;
};

struct Trained {
  std::vector<double> losses;  // one for each step
  double held_out = 0;         // the loss on text that no model was trained on
};

// On the text, with batches that follow from the seed alone.
Trained train(Transformer& model, const Recipe& recipe, std::uint64_t seed);

// Several seeds of one choice.
struct Runs {
  std::vector<Trained> each;

  double mean() const;
  double lowest() const;
  double highest() const;
};
Runs runs_of(const Choices& choices, int64_t seeds, const Recipe& recipe = {});

// The loss of a model that knows how frequent each character of the New Testament is, and nothing else.
double entropy_of_characters();

// The mean of all seeds as a curve, each point the mean of `step` steps.
PlotSeries mean_curve(const std::string& name, const Runs& runs, int64_t step = 4);

// An optimizer's steps on losses that a function gives.
std::vector<double> descend(const nn::Module& model, const Recipe& recipe, const std::function<Tensor()>& loss);
