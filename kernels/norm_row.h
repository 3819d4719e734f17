#pragma once

#include <cstdint>

#include "kernels/math.h"
#include "kernels/reduction_functors.h"
#include "kernels/row.h"

// Normalisation of a row, as layer_norm does it (centred: less its mean, over its standard deviation) and as
// rms_norm does it (over the root of the mean of squares), and the gradient; computed in the type C of the
// numbers.

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
struct SquareAround {
  C center;
  LECTERN_HD C operator()(C x) const { return (x - center) * (x - center); }
};

template <RealComputeType C>
struct Normalized {
  RowStatistics<C> statistics;
  LECTERN_HD C operator()(C x, C weight, C bias) const { return statistics.normalized(x) * weight + bias; }
};

/// out = (x - mean) * rstd * weight + bias; gives the mean and rstd. The next row is fetched while there is
/// nothing else to wait for: the last pass reads weights and biases, too, and writes.
template <bool kCentered, typename Group, typename Out, typename In, typename Weight, typename Bias>
LECTERN_HD RowStatistics<typename In::Value> norm_row(const Group& group, std::int64_t count,
                                                      typename In::Value eps, const Out& out, const In& x,
                                                      const Weight& weight, const Bias& bias) {
  using C = typename In::Value;
  const auto elements = static_cast<C>(count);
  constexpr int kFolds = kCentered ? 2 : 1;
  C mean = 0;
  if constexpr (kCentered) {  // by distances from one of them: a large mean costs no digits
    const C origin = x[0];
    const auto first = x.template before_next<kFolds>(count, 0);
    mean = origin + fold_row<Sum<C>>(group, count, DistanceFrom<C>{origin}, first) / elements;
  }
  const auto last = x.template before_next<kFolds>(count, kFolds - 1);
  const C variance = fold_row<Sum<C>>(group, count, SquareAround<C>{mean}, last) / elements;
  const RowStatistics<C> statistics{mean, 1 / sqrt_of(variance + eps)};
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
    return (grad * weight - grad_mean - statistics.normalized(x) * product_mean) * statistics.rstd;
  }
};

/// out = the gradient of x, from the statistics that norm_row gave.
template <bool kCentered, typename Group, typename Out, typename In, typename Weight>
LECTERN_HD void norm_backward_row(const Group& group, std::int64_t count,
                                  const RowStatistics<typename In::Value>& statistics, const Out& out,
                                  const In& grad, const In& x, const Weight& weight) {
  using C = typename In::Value;
  const auto elements = static_cast<C>(count);
  const WeightedProduct<C> product{statistics};
  NormGradient<C> gradient{statistics, 0, 0};
  const auto grads = grad.before_next(count);
  if constexpr (kCentered) {
    const auto sums = fold_row_twice<Sum<C>>(group, count, WeightedGrad<C>{}, product, grads, x, weight);
    gradient.grad_mean = sums.first / elements;
    gradient.product_mean = sums.second / elements;
  } else {
    gradient.product_mean = fold_row<Sum<C>>(group, count, product, grads, x, weight) / elements;
  }
  map_row(group, count, out, gradient, grad, x.before_next(count), weight);
}

}  // namespace lectern::kernels
