// What compile() gains, on the CPU: functions written out in elementwise operations and reductions, eager and
// compiled by turns in one process, forward and with their gradients. Prints the shortest and the median
// time of each, the ratio of the medians, and the bytes that the counters saw.
//
//   OMP_NUM_THREADS=2 build/bench/bin/fusion_bench [ROUNDS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "compile/compile.h"
#include "device/counters.h"
#include "device/threads.h"
#include "ops/elementwise.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern::bench {
namespace {

using Inputs = std::vector<Tensor>;
using Function = std::function<Tensor(const Inputs&)>;

/// gelu's approximation by tanh, in eight operations.
Tensor written_gelu(const Inputs& in) {
  const Tensor& x = in[0];
  return (tanh((x * x * 0.035677408 + 0.7978845608) * x) + 1) * 0.5 * x;
}

Tensor written_layer_norm(const Inputs& in) {
  const Tensor centered = in[0] - in[0].mean({-1}, true);
  const Tensor scale = rsqrt(centered.square().mean({-1}, true) + 1e-5);
  return in.size() == 1 ? centered * scale : centered * scale * in[1] + in[2];
}

Tensor written_softmax(const Inputs& in) {
  const Tensor powers = exp(in[0] - in[0].amax({-1}, true));
  return powers / powers.sum({-1}, true);
}

struct Timed {
  std::vector<double> milliseconds;
  Counters cost;

  double shortest() const { return *std::min_element(milliseconds.begin(), milliseconds.end()); }
  double median() const {
    std::vector<double> sorted = milliseconds;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                     sorted.end());
    return sorted[sorted.size() / 2];
  }
};

void time_once(const Function& function, const Inputs& inputs, const Tensor& grad, Timed& timed) {
  const CountScope count;
  const auto begin = std::chrono::steady_clock::now();
  const Tensor result = function(inputs);
  if (grad.defined()) autograd::grad({result}, inputs, {grad});
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  timed.milliseconds.push_back(took.count());
  timed.cost = count.counted();
}

void compare(const std::string& name, const Function& function, Inputs inputs, bool both_ways, int rounds) {
  const auto compiled = compile(function);
  const Function fast = [&](const Inputs& in) { return compiled(in); };
  Tensor grad;
  if (both_ways) {
    for (const Tensor& input : inputs) input.requires_grad_();
    grad = rand(function(inputs).sizes());
  }
  Timed eager, fused;
  for (int i = 0; i < rounds; ++i) {
    time_once(function, inputs, grad, eager);
    time_once(fast, inputs, grad, fused);
  }
  std::printf("%-34s %8.2f %8.2f  %8.2f %8.2f   %5.2f   %7.1f %7.1f\n",
              (name + (both_ways ? ", both ways" : "")).c_str(), eager.shortest(), eager.median(),
              fused.shortest(), fused.median(), eager.median() / fused.median(),
              static_cast<double>(eager.cost.bytes) / 1e6, static_cast<double>(fused.cost.bytes) / 1e6);
}

void run(int rounds) {
  std::printf("%d threads; milliseconds, shortest and median of %d; MB moved\n", get_num_threads(), rounds);
  std::printf("%-34s %8s %8s  %8s %8s   %5s   %7s %7s\n", "", "eager", "", "compiled", "", "times", "eager",
              "compiled");
  for (const bool both_ways : {false, true}) {
    compare("gelu [65536, 1024]", written_gelu, {rand({65536, 1024}) * 8 - 4}, both_ways, rounds);
    compare("gelu [256, 1024]", written_gelu, {rand({256, 1024}) * 8 - 4}, both_ways, rounds);
    compare("layer_norm [65536, 1024]", written_layer_norm, {rand({65536, 1024})}, both_ways, rounds);
    compare("layer_norm, affine [65536, 1024]", written_layer_norm,
            {rand({65536, 1024}), rand({1024}), rand({1024})}, both_ways, rounds);
    compare("layer_norm, affine [256, 768]", written_layer_norm, {rand({256, 768}), rand({768}), rand({768})},
            both_ways, rounds);
    compare("softmax [65536, 1024]", written_softmax, {rand({65536, 1024})}, both_ways, rounds);
  }
}

}  // namespace
}  // namespace lectern::bench

int main(int count, char** arguments) {
  lectern::bench::run(count > 1 ? std::max(1, std::atoi(arguments[1])) : 31);
}
