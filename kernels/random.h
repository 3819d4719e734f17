#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/dtype.h"
#include "kernels/mt19937.h"

// PyTorch's distributions on the CPU, draw for draw. Elements are drawn sequentially in memory order, each
// rounded once to the destination's dtype (unless a function says otherwise). Arguments were checked by the
// caller. O(elements), on one thread: a stream has one order.

namespace lectern::kernels {

/// The state of a CPU generator.
struct RandomStream {
  Mt19937 engine;
  /// The second value of a Box-Muller pair, which the next small normal draw takes.
  std::optional<double> next_normal;
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
void fill_uniform(const RandomArray& array, double from, double to, RandomStream& stream);

/// The Box-Muller transform. Contiguous arrays of at least 16 elements use blocks of 16, in the dtype's
/// precision, from one word per element (two for float64); others go one by one in double. The dtype is
/// floating, of at least 16 bits.
void fill_normal(const RandomArray& array, double mean, double std, RandomStream& stream);

/// -log(1 - u) / lambda, in double. The dtype is floating.
void fill_exponential(const RandomArray& array, double lambda, RandomStream& stream);

/// A normal distribution truncated to [low, high], by its inverse: uniform on [from, to], erfinv, times
/// `scale`, plus `mean`, clamped; every step is rounded to the dtype. The dtype is floating, of at least 16
/// bits.
struct TruncatedNormal {
  double from, to;
  double scale, mean;
  double low, high;
};
void fill_truncated_normal(const RandomArray& array, const TruncatedNormal& shape, RandomStream& stream);

/// 1 with probability p, else 0; u in double.
void fill_bernoulli(const RandomArray& array, double p, RandomStream& stream);

/// 1 with the probability that `p`, of the same sizes, has there; u in double if p is float64, else in float.
/// False if a probability is not in [0, 1]; the rest is then unwritten.
bool fill_bernoulli(const RandomArray& array, const RandomArray& p, RandomStream& stream);

/// base + draw % range. A draw of 64 bits where range is 2^32 or more and the dtype is int64, float64,
/// float32 or bfloat16, else of 32.
void fill_integers(const RandomArray& array, std::uint64_t range, std::int64_t base, RandomStream& stream);

/// All of int64's values; the dtype is int64, float64, float32 or bfloat16.
void fill_all_integers(const RandomArray& array, RandomStream& stream);

/// From 0 to the largest value of an integral dtype, to 2^digits of a floating one.
void fill_natural(const RandomArray& array, RandomStream& stream);

/// 0 … n - 1 in random order (Fisher-Yates shuffle), contiguous. n is the array's number of elements.
void fill_permutation(const RandomArray& array, RandomStream& stream);

/// Why weights are no distribution.
enum class WeightProblem : std::uint8_t { none, negative, not_finite, no_sum };

/// For each row of `weights` (rows x categories, contiguous, floating) `samples` category indices into the
/// contiguous `result`, with replacement: the first whose normalised cumulative sum, in float (float64:
/// double), is at least u.
WeightProblem sample_categories(const RandomArray& weights, std::int64_t rows, std::int64_t categories,
                                std::int64_t samples, std::int64_t* result, RandomStream& stream);

/// The same without replacement: the categories of the largest weight / time, in the dtype's precision;
/// `times` are laid out like the weights, exponentially distributed.
WeightProblem choose_categories(const RandomArray& weights, const RandomArray& times, std::int64_t rows,
                                std::int64_t categories, std::int64_t samples, std::int64_t* result);

}  // namespace lectern::kernels
