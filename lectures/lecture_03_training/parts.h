// The parts of lecture 3, in their order; each has a file of its own.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lectern/lecture.h>

#include "../shared/scratch_folder.h"

void the_data();
void the_model();
void the_budget();
void the_training();
void checkpoints();
void learning_rates();
void mistakes();
void takeaways();

// The one constant that makes everything larger where there is a GPU.
inline const std::int64_t kScale = lectern::cuda::is_available() ? 4 : 1;

// Where the model lies and the training happens.
inline const lectern::Device kDevice = kScale > 1 ? lectern::Device("cuda")
                                                  : lectern::cpu;

// A folder for this run's files, which goes when the run ends.
const ScratchFolder& scratch_folder();

// A line of a plot.
struct Curve {
  std::string name;
  std::vector<double> losses;  // one for each step
};

// Curves of the loss against the step, as a Vega-Lite specification: at most 80 to
// 160 points each, means of as many steps as that takes. The axis of losses goes from
// `from` to `to`.
std::string loss_plot(const std::vector<Curve>& curves, double from, double to);
