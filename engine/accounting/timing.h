#pragma once

#include <functional>

namespace lectern {

/// The wall-clock time of `work` in seconds: the shortest of `runs`, after one warm-up, since disturbances
/// only make a run longer. Includes work on GPUs. A TensorError when `runs` is not positive.
double measure_seconds(const std::function<void()>& work, int runs = 5);

}  // namespace lectern
