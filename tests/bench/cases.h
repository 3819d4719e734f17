#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/sum.h"

namespace lectern::bench {

struct Case {
  std::string name;
  std::string tensors;            ///< what it works on, for readers
  std::function<Measured()> run;  ///< makes the tensors, which live as long as it measures
  double bar_nanoseconds = 0;     ///< at most this long, where that is the aim; 0: as fast as PyTorch
  std::string known = {};         ///< PyTorch on an H200, for readers
  /// Where memory is to be what limits it: at most so many times what a copy of as many bytes takes.
  double copy_bar = 0;
  double faster = 1;  ///< than PyTorch, so many times
  /// Fused multiply-adds, and multiplications alone, of the formula for all numbers together. Where the
  /// processor needs longer for them than for the copy, copy_bar is of that time.
  double multiply_adds = 0;
  std::string obstacle = {};  ///< what keeps it from the bar where it is missed, and on what
};

/// Elements of the large tensors, which no cache holds.
inline constexpr std::int64_t kMany = 1 << 24;

/// Multiply-adds of an element, as the machine code of a vector has them; a division and a comparison
/// besides.
inline constexpr double kGeluOperations = 23, kGeluGradientOperations = 24;

/// The copy_bar of most.
inline constexpr double kNearMemory = 1.5;

/// `prepare` makes the tensors and returns the call to measure.
template <typename Prepare>
std::function<Measured()> timed(Prepare prepare) {
  return [prepare] {
    return measure([call = prepare()](std::int64_t calls) {
      for (std::int64_t i = 0; i < calls; ++i) call();
    });
  };
}

inline std::function<Measured()> product(const Sizes& a, const Sizes& b, Dtype dtype = float32) {
  return timed(
      [=] { return [x = rand(a, {.dtype = dtype}), y = rand(b, {.dtype = dtype})] { matmul(x, y); }; });
}

inline std::function<Measured()> sum_over(const Sizes& dims) {
  return timed([=] { return [=, x = rand({4096, 4096})] { x.sum(dims); }; });
}

inline std::function<Measured()> copying(std::int64_t elements) {
  return timed([=] { return [x = rand({elements})] { x.clone(); }; });
}

/// Of either device, on tensors of 4096 × 4096 floats.
std::vector<Case> shared_cases();
/// The names are those of torch_bench.py.
std::vector<Case> training_cases();
std::vector<Case> cpu_cases();
std::vector<Case> cuda_cases();

}  // namespace lectern::bench
