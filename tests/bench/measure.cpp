#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "device/stream.h"
#include "tensor/creation.h"

namespace lectern::bench {
namespace {

constexpr double kBlockSeconds = 1e-3;
constexpr double kSeconds = 0.25;

using Call = std::function<void(std::int64_t calls)>;

double host_seconds(std::int64_t calls, const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  call(calls);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double gpu_seconds(std::int64_t calls, const Call& call) {
  cuda::Event begin(true), end(true);
  begin.record();
  call(calls);
  end.record();
  end.synchronize();
  return begin.elapsed_time(end) / 1e3;
}

}  // namespace

Measured measure(const Call& call) {
  const auto seconds_of = default_device().is_cuda() ? gpu_seconds : host_seconds;
  const CountScope scope;
  call(1);
  const Counters cost = scope.counted();
  std::int64_t calls = 1;
  while (seconds_of(calls, call) < kBlockSeconds) calls *= 10;
  std::vector<double> blocks;
  for (double total = 0; total < kSeconds; total += blocks.back()) blocks.push_back(seconds_of(calls, call));
  const auto middle = blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2);
  std::nth_element(blocks.begin(), middle, blocks.end());
  return {1e9 * *middle / static_cast<double>(calls), cost};
}

}  // namespace lectern::bench
