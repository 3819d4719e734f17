// What the parts of lecture 3 include and share, and the parts in their order; each has a file of its own.

#pragma once

#include <lectern/lecture.h>

#include "../shared/references.h"
#include "../shared/scratch_folder.h"

using namespace lectern;

void the_data();
void the_model();
void the_budget();
void the_training();
void checkpoints();
void learning_rates();
void mistakes();
void takeaways();

// The one constant that makes everything larger where there is a GPU.
inline const int64_t kScale = cuda::is_available() ? 4 : 1;

// Where the model lies and the training happens.
inline const Device kDevice = kScale > 1 ? Device("cuda") : cpu;

// A folder for this run's files, which goes when the run ends.
const ScratchFolder& scratch_folder();

// The losses of all steps as a curve of at most 80 to 160 points, means of as many steps as that takes.
PlotSeries loss_curve(const std::string& name, const std::vector<double>& losses);
