#pragma once

#include <string_view>

#include "device/cuda_driver.h"

namespace lectern::cuda {

/// A TensorError of `operation` when there is a problem. Since work is done later than it is given, it also
/// names the last operations that check() has seen on this thread; not under LECTERN_CUDA_SYNC=1.
void must(std::string_view operation, Problem problem);

}  // namespace lectern::cuda
