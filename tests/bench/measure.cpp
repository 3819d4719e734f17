#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "device/cuda.h"
#include "device/stream.h"
#include "tensor/creation.h"

namespace lectern::bench {
namespace {

constexpr double kBlockSeconds = 1e-3;
constexpr double kSeconds = 0.25;
/// A GPU's queue has room for 1,024 kernels; a call gives it one.
constexpr std::int64_t kQueued = 500;

bool is_tried_only = false;

using Seconds = double (*)(std::int64_t calls, const Calls& call);

double host_seconds(std::int64_t calls, const Calls& call) {
  const auto begin = std::chrono::steady_clock::now();
  call(calls);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double gpu_seconds(std::int64_t calls, const Calls& call) {
  cuda::Event begin(true), end(true);
  begin.record();
  call(calls);
  end.record();
  end.synchronize();
  return begin.elapsed_time(end) / 1e3;
}

double queueing_seconds(std::int64_t calls, const Calls& call) {
  cuda::synchronize();
  return host_seconds(calls, call);
}

/// Of a call, the median of blocks of so many.
double nanoseconds_of(std::int64_t calls, const Calls& call, Seconds seconds_of) {
  std::vector<double> blocks;
  double total = 0;
  do {
    blocks.push_back(seconds_of(calls, call));
    total += blocks.back();
  } while (total < kSeconds && !is_tried_only);
  const auto middle = blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2);
  std::nth_element(blocks.begin(), middle, blocks.end());
  return 1e9 * *middle / static_cast<double>(calls);
}

Counters cost_of(const Calls& call) {
  const CountScope scope;
  call(1);
  return scope.counted();
}

}  // namespace

Measured measure(const Calls& call) {
  const Seconds seconds_of = default_device().is_cuda() ? gpu_seconds : host_seconds;
  const Counters cost = cost_of(call);
  std::int64_t calls = 1;
  while (!is_tried_only && seconds_of(calls, call) < kBlockSeconds) calls *= 10;
  return {nanoseconds_of(calls, call, seconds_of), cost};
}

Measured measure_queueing(const Calls& call) {
  const Counters cost = cost_of(call);
  const double nanoseconds = nanoseconds_of(is_tried_only ? 1 : kQueued, call, queueing_seconds);
  cuda::synchronize();
  return {nanoseconds, cost};
}

void only_try() {
  is_tried_only = true;
}

}  // namespace lectern::bench
