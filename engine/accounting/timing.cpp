#include "accounting/timing.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>

#include "base/tensor_error.h"
#include "device/cuda.h"

namespace lectern {
namespace {

double seconds_of_one(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const bool gpu = cuda::is_available();
  if (gpu) cuda::synchronize();
  const Clock::time_point begin = Clock::now();
  work();
  if (gpu) cuda::synchronize();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

double measure_seconds(const std::function<void()>& work, int runs) {
  if (runs < 1) throw TensorError("measure_seconds", "runs", "at least 1", std::to_string(runs));
  seconds_of_one(work);
  double shortest = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) shortest = std::min(shortest, seconds_of_one(work));
  return shortest;
}

}  // namespace lectern
