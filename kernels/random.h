#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/dtype.h"
#include "kernels/kernel.h"
#include "kernels/mt19937.h"
#include "kernels/philox.h"

// PyTorch's distributions, draw for draw, each rounded once to the destination's dtype (unless a function
// says otherwise). Arguments were checked by the caller. O(elements).
//
// On the CPU elements are drawn sequentially in memory order, on one thread: a stream has one order. On a GPU
// each thread draws its own words (kernels/philox.h), and the state advances by as many as PyTorch's;
// elements are numbered in the walk order of kernels/geometry.h, and fills of more elements than one wave of
// threads depend on the GPU's size, as in PyTorch.

namespace lectern::kernels {

/// The state of a CPU generator.
struct RandomStream {
  Mt19937 engine;
  /// The second value of a Box-Muller pair, which the next small normal draw takes.
  std::optional<double> next_normal;
};

/// What a kernel draws from: the CPU's generator, or a GPU's.
struct GeneratorState {
  RandomStream* stream = nullptr;
  PhiloxState philox = {};
};

/// Elements to write or to read. Strides are in elements; `contiguous`: rows follow each other without gaps.
struct RandomArray {
  void* data;
  Dtype dtype;
  std::span<const std::int64_t> sizes;
  std::span<const std::int64_t> strides;
  bool contiguous;
};

/// from + (to - from) u with u in [0, 1). One word for floats, two for float64. u has as many bits as the
/// dtype's mantissa; the dtype is floating, of at least 16 bits.
LECTERN_KERNEL(void, fill_uniform, const RandomArray& array, double from, double to, GeneratorState& state);

/// The Box-Muller transform. Contiguous arrays of at least 16 elements use blocks of 16, in the dtype's
/// precision, from one word per element (two for float64); others go one by one in double. The dtype is
/// floating, of at least 16 bits.
LECTERN_KERNEL(void, fill_normal, const RandomArray& array, double mean, double std, GeneratorState& state);

/// -log(1 - u) / lambda, in double. The dtype is floating.
LECTERN_KERNEL(void, fill_exponential, const RandomArray& array, double lambda, GeneratorState& state);

/// A normal distribution truncated to [low, high], by its inverse: uniform on [from, to], erfinv, times
/// `scale`, plus `mean`, clamped; every step is rounded to the dtype. The dtype is floating, of at least 16
/// bits.
struct TruncatedNormal {
  double from, to;
  double scale, mean;
  double low, high;
};
LECTERN_KERNEL(void, fill_truncated_normal, const RandomArray& array, const TruncatedNormal& shape,
               GeneratorState& state);

/// 1 with probability p, else 0; u in double.
LECTERN_KERNEL(void, fill_bernoulli, const RandomArray& array, double p, GeneratorState& state);

/// 1 with the probability that `p`, of the same sizes, has there; u in double if p is float64, else in float.
/// False if a probability is not in [0, 1]: the rest is then unwritten or, on a GPU, everything.
LECTERN_KERNEL(bool, fill_bernoulli_each, const RandomArray& array, const RandomArray& p,
               GeneratorState& state);

/// base + draw % range. A draw of 64 bits where range is 2^32 or more and the dtype is int64, float64,
/// float32 or bfloat16, else of 32.
LECTERN_KERNEL(void, fill_integers, const RandomArray& array, std::uint64_t range, std::int64_t base,
               GeneratorState& state);

/// All of int64's values; the dtype is int64, float64, float32 or bfloat16.
LECTERN_KERNEL(void, fill_all_integers, const RandomArray& array, GeneratorState& state);

/// From 0 to the largest value of an integral dtype, to 2^digits of a floating one.
LECTERN_KERNEL(void, fill_natural, const RandomArray& array, GeneratorState& state);

/// 0 … n - 1 in random order, contiguous; n is the array's number of elements. On the CPU a Fisher-Yates
/// shuffle; on a GPU the order of random keys (kernels/sort.h), with equal ones shuffled; 32 bytes of
/// workspace per element.
LECTERN_KERNEL(void, fill_permutation, const RandomArray& array, GeneratorState& state);

/// Why weights are not a distribution.
enum class WeightProblem : std::uint8_t { none, negative, not_finite, no_sum };

/// For each row of `weights` (rows x categories, contiguous, floating) `samples` category indices into the
/// contiguous `result`, with replacement: the first whose normalised cumulative sum, in float (float64:
/// double), is at least u. A GPU sums in another order than PyTorch's: a draw next to the boundary of two
/// categories may choose the other one.
LECTERN_KERNEL(WeightProblem, sample_categories, const RandomArray& result, const RandomArray& weights,
               std::int64_t rows, std::int64_t categories, std::int64_t samples, GeneratorState& state);

/// The same without replacement: the categories of the largest weight / time, in the dtype's precision;
/// `times` are laid out like the weights, exponentially distributed. A GPU overwrites them.
LECTERN_KERNEL(WeightProblem, choose_categories, const RandomArray& result, const RandomArray& weights,
               const RandomArray& times, std::int64_t rows, std::int64_t categories, std::int64_t samples);

}  // namespace lectern::kernels
