#pragma once

#include <string_view>

#include "device/cuda_driver.h"

namespace lectern::cuda {

/// Throws TensorError of `operation` if there is a problem. Since work runs asynchronously, it also names the
/// last operations that check() has seen on this thread; not under LECTERN_CUDA_SYNC=1.
void must(std::string_view operation, Problem problem);

}  // namespace lectern::cuda
