#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/limits.h"
#include "bench/measure.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"

namespace lectern::bench {

struct Case {
  std::string name;
  std::string tensors;            ///< what it works on, for readers
  std::function<Measured()> run;  ///< makes the tensors, which live as long as it measures
  double bar_nanoseconds = 0;     ///< at most this long, where that is the aim; 0: as fast as PyTorch
  /// Where memory is to be what limits it: at most so many times what a copy of as many bytes takes.
  double copy_bar = 0;
  double faster = 1;  ///< than PyTorch, so many times
  /// Fused multiply-adds, and multiplications alone, of the formula for all numbers together. Where the
  /// processor needs longer for them than for the copy, copy_bar is of that time.
  double multiply_adds = 0;
  std::string obstacle = {};  ///< what keeps it from the bar where it is missed, and on what
  std::string known = {};     ///< what others have published of PyTorch on such a GPU, for readers
  Unit unit = Unit::float32;  ///< of a GPU, that does most of its floating-point operations
  Bound bound = Bound::memory_and_arithmetic;
  /// Of elements that are not used, but read with their neighbours: a GPU reads 32 bytes at a time.
  std::int64_t skipped_bytes = 0;
};

/// Where the cases are to run, and how large their tensors are.
struct Scale {
  bool gpu = false;
  bool tiny = false;  ///< only to see whether they run

  std::int64_t operator()(std::int64_t size, std::int64_t tiny_size) const { return tiny ? tiny_size : size; }
};

/// Of sums over contiguous elements.
inline constexpr const char* kSumObstacle =
    "its loop is one load and addition for each vector: on an AMD EPYC (Zen 4) two threads read 77 GB/s "
    "so, of a Zen 5 72 to 105, 0.82 to 1.13 of PyTorch's speed in different runs; a core of a Zen 3 reads 9 "
    "to 12 GB/s one page after the other, and 13 to 14 from eight pages at "
    "a time, which would add in another order";

/// Elements of the large tensors on the CPU, which no cache holds.
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

inline std::function<Measured()> copying(std::int64_t elements) {
  return timed([=] { return [x = rand({elements})] { x.clone(); }; });
}

/// Of either device.
std::vector<Case> shared_cases(const Scale& scale);
std::vector<Case> training_cases(const Scale& scale);

std::vector<Case> cpu_cases();
/// What networks of pictures are made of, at their sizes and at a small one.
std::vector<Case> cpu_layer_cases();

/// One product and one copy, which show what the machine gives.
std::vector<Case> cuda_ceilings(const Scale& scale);
std::vector<Case> cuda_cases(const Scale& scale);
/// What networks are made of, in bfloat16, at the sizes of models.
std::vector<Case> cuda_layer_cases(const Scale& scale);
std::vector<Case> cuda_training_cases(const Scale& scale);
/// Functions that are compiled.
std::vector<Case> cuda_fused_cases(const Scale& scale);

}  // namespace lectern::bench
