#pragma once

#include <cstdint>

#include "kernels/philox.h"
#include "kernels/random.h"

// PyTorch's distributions on CUDA, on arrays on the current device, with the semantics of kernels/random.h
// and the draws of kernels/philox.h: each thread draws its own words, and `state` advances by as many as
// PyTorch's. Elements are numbered in the walk order of kernels/geometry.h; fills of more elements than one
// wave of threads depend on the GPU's size, as in PyTorch. Work is enqueued on the current stream; functions
// that report a problem wait for it.

namespace lectern::kernels::cuda {

void fill_uniform(const RandomArray& array, double from, double to, PhiloxState& state);
void fill_normal(const RandomArray& array, double mean, double std, PhiloxState& state);
void fill_exponential(const RandomArray& array, double lambda, PhiloxState& state);
void fill_truncated_normal(const RandomArray& array, const TruncatedNormal& shape, PhiloxState& state);
void fill_bernoulli(const RandomArray& array, double p, PhiloxState& state);
/// False, with nothing written, if a probability is not in [0, 1].
bool fill_bernoulli(const RandomArray& array, const RandomArray& p, PhiloxState& state);

void fill_integers(const RandomArray& array, std::uint64_t range, std::int64_t base, PhiloxState& state);
void fill_all_integers(const RandomArray& array, PhiloxState& state);
void fill_natural(const RandomArray& array, PhiloxState& state);

/// PyTorch's permutation: the order of random keys, with equal ones shuffled. O(n (log n)^2), and 32 bytes of
/// workspace per element.
void fill_permutation(const RandomArray& array, PhiloxState& state);

/// PyTorch's draws. Cumulative sums are in float (float64: double) and summed in another order than
/// PyTorch's: a draw next to the boundary of two categories may choose the other one.
WeightProblem sample_categories(const RandomArray& weights, std::int64_t rows, std::int64_t categories,
                                std::int64_t samples, std::int64_t* result, PhiloxState& state);

/// `times` is overwritten with the quotients. Of equal ones the first comes first.
WeightProblem choose_categories(const RandomArray& weights, const RandomArray& times, std::int64_t rows,
                                std::int64_t categories, std::int64_t samples, std::int64_t* result);

}  // namespace lectern::kernels::cuda
