// What the parts of lecture 2 include, and the parts in their order; each has a file of its own.

#pragma once

#include <lectern/lecture.h>

#include "../shared/references.h"

using namespace lectern;

/// Room for two layers of 16,384 × 32,768 × 8,192 in float32 and their gradients: some 20 GB.  @stepover
inline bool has_large_gpu() {
  return cuda::is_available() && cuda::get_device_properties(0).total_memory >= int64_t{32} << 30;
}

void napkin();
void tensors();
void tensors_on_gpus();    // gpus.cpp
void tensor_operations();  // operations.cpp
void tensor_einops();      // einops.cpp
void operations_flops();   // flops.cpp
void gradients();
void models();
void randomness();
void data_loading();  // data.cpp
void optimizers();
void train_loop();                // training.cpp
void checkpointing();             // checkpoints.cpp
void mixed_precision_training();  // precision.cpp
