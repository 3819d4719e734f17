#pragma once

#include <functional>

namespace lectern {

/// How long `work` takes, in seconds of wall-clock time: the shortest of `runs`, after one that is not
/// counted, in which memory and code are fetched. The shortest, since whatever disturbs a run makes it
/// longer. Work on GPUs counts until it is done. A TensorError when `runs` is not positive.
double measure_seconds(const std::function<void()>& work, int runs = 5);

}  // namespace lectern
