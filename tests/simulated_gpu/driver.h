#pragma once

#include "device/cuda_driver.h"

namespace lectern::cuda {

/// From now on what the driver of the simulated GPU is asked for fails with `problem`, as on a GPU after a
/// kernel has left its memory.
void break_context(Status problem);

}  // namespace lectern::cuda
