#pragma once

#include <cstdint>

#include "kernels/math.h"
#include "kernels/reduction_functors.h"
#include "kernels/row.h"

// Normalisation of a row, as layer_norm does it (centred: less its mean, over its standard deviation) and as
// rms_norm does it (over the root mean square), and the gradient; in the compute type C.

namespace lectern::kernels {

template <RealComputeType C>
struct RowStatistics {
  C mean;  ///< 0 unless centred
  C rstd;  ///< 1 / √(variance + eps)

  LECTERN_HD C normalized(C x) const { return (x - mean) * rstd; }
};

template <RealComputeType C>
struct DistanceFrom {
  C origin;
  LECTERN_HD C operator()(C x) const { return x - origin; }
};

template <RealComputeType C>
struct Normalized {
  RowStatistics<C> statistics;
  LECTERN_HD C operator()(C x, C weight, C bias) const {
    return math::multiply_add(statistics.normalized(x), weight, bias);
  }
};

/// The mean and variance of a row's differences from `origin`.
template <typename Group, typename In>
LECTERN_HD Both<typename In::Value> moments_about(const Group& group, std::int64_t count,
                                                  typename In::Value origin, const In& x) {
  using C = typename In::Value;
  const DistanceFrom<C> distance{origin};
  const auto sums = fold_row_twice<Sum<C>, SumOfSquares<C>>(group, count, distance, distance, x);
  const C mean = sums.first / static_cast<C>(count);
  return {mean, sums.second / static_cast<C>(count) - mean * mean};
}

/// The mean and variance of a row, by differences from the first element, so that a large mean costs no
/// digits. In one pass; in a second one about the mean if the first element is an outlier and cost some.
template <typename Group, typename In>
LECTERN_HD Both<typename In::Value> row_moments(const Group& group, std::int64_t count, const In& x) {
  using C = typename In::Value;
  constexpr C kOutlier = 4;  // squared standard deviations
  const C first = x[0];
  const auto about_first = moments_about(group, count, first, x.before_next(count));
  const C mean = first + about_first.first;
  if (about_first.first * about_first.first <= kOutlier * about_first.second)
    return {mean, about_first.second};
  const auto about_mean = moments_about(group, count, mean, x);
  return {mean + about_mean.first, about_mean.second};
}

/// out = (x - mean) * rstd * weight + bias; returns the mean and rstd. The next row is prefetched while
/// nothing else is waited for: the last pass reads weights and biases, too, and writes.
template <bool kCentered, typename Group, typename Out, typename In, typename Weight, typename Bias>
LECTERN_HD RowStatistics<typename In::Value> norm_row(const Group& group, std::int64_t count,
                                                      typename In::Value eps, const Out& out, const In& x,
                                                      const Weight& weight, const Bias& bias) {
  using C = typename In::Value;
  C mean = 0, variance;
  if constexpr (kCentered) {
    const auto moments = row_moments(group, count, x);
    mean = moments.first, variance = moments.second;
  } else {
    variance =
        fold_row<SumOfSquares<C>>(group, count, Itself{}, x.before_next(count)) / static_cast<C>(count);
  }
  const RowStatistics<C> statistics{mean, 1 / math::sqrt(variance + eps)};
  map_row(group, count, out, Normalized<C>{statistics}, x, weight, bias);
  return statistics;
}

template <RealComputeType C>
struct WeightedProduct {
  RowStatistics<C> statistics;
  LECTERN_HD C operator()(C grad, C x, C weight) const { return grad * weight * statistics.normalized(x); }
};

template <RealComputeType C>
struct WeightedGrad {
  LECTERN_HD C operator()(C grad, C, C weight) const { return grad * weight; }
};

template <RealComputeType C>
struct NormGradient {
  RowStatistics<C> statistics;
  C grad_mean;     ///< of grad * weight; 0 unless centred
  C product_mean;  ///< of grad * weight * normalized x

  LECTERN_HD C operator()(C grad, C x, C weight) const {
    const C rest = math::multiply_add(-statistics.normalized(x), product_mean, grad * weight - grad_mean);
    return rest * statistics.rstd;
  }
};

/// out = the gradient of x, from the statistics of norm_row.
template <bool kCentered, typename Group, typename Out, typename In, typename Weight>
LECTERN_HD void norm_backward_row(const Group& group, std::int64_t count,
                                  const RowStatistics<typename In::Value>& statistics, const Out& out,
                                  const In& grad, const In& x, const Weight& weight) {
  using C = typename In::Value;
  const auto elements = static_cast<C>(count);
  const WeightedProduct<C> product{statistics};
  NormGradient<C> gradient{statistics, 0, 0};
  if constexpr (kCentered) {
    const auto sums = fold_row_twice<Sum<C>>(group, count, WeightedGrad<C>{}, product, grad, x, weight);
    gradient.grad_mean = sums.first / elements;
    gradient.product_mean = sums.second / elements;
  } else {
    gradient.product_mean = fold_row<Sum<C>>(group, count, product, grad, x, weight) / elements;
  }
  map_row(group, count, out, gradient, grad, x, weight);
}

}  // namespace lectern::kernels
