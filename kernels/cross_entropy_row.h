#pragma once

#include <cstdint>
#include <limits>

#include "kernels/exp_log.h"
#include "kernels/row.h"
#include "kernels/row_functors.h"

// The cross-entropy of a row of logits with a class, and its gradient, computed in the type C of the logits.
// Probabilities are never stored. With p = softmax(x), weights w and smoothing s of n classes,
//
//   loss = -(1 - s) w[target] ln p[target] - s / n Σ w[c] ln p[c]

namespace lectern::kernels {

/// Shared by all rows.
template <RealComputeType C>
struct ClassRule {
  std::int64_t ignored;  ///< a target with no loss
  C smoothing;
};

template <RealComputeType C>
struct RowLoss {
  C loss;
  LogNormalizer<C> normalizer;  ///< from which the gradient is computed
  C weight;                     ///< the row's weight in a mean: that of its target, 0 if ignored
};

template <RealComputeType C>
struct WeightedLogProbability {
  LogNormalizer<C> normalizer;
  LECTERN_HD C operator()(C x, C weight) const { return normalizer(x) * weight; }
};

struct Zero {
  template <RealComputeType C>
  LECTERN_HD C operator()(C) const {
    return 0;
  }
};

struct Second {
  template <RealComputeType C>
  LECTERN_HD C operator()(C, C second) const {
    return second;
  }
};

/// `weight` is an array of weights or one weight for all classes. An invalid target gives NaN.
template <typename Group, typename In, typename Weight>
LECTERN_HD RowLoss<typename In::Value> cross_entropy_row(const Group& group, std::int64_t classes,
                                                         const ClassRule<typename In::Value>& rule,
                                                         std::int64_t target, const In& x,
                                                         const Weight& weight) {
  using C = typename In::Value;
  if (target == rule.ignored) return {0, {0, 0}, 0};
  if (target < 0 || target >= classes) {
    constexpr C nan = std::numeric_limits<C>::quiet_NaN();
    return {nan, {nan, nan}, nan};
  }
  const C at_target = x[target], target_weight = weight[target];  // on their way while the row is
  const auto powers = row_powers<C>(group, classes, x);
  const LogNormalizer<C> normalizer{powers.max, math::log(powers.sum)};
  const C target_loss = target_weight * (powers.max - at_target + normalizer.log_sum);
  if (rule.smoothing == 0) return {target_loss, normalizer, target_weight};
  const C mean_loss = -fold_row<Sum<C>>(group, classes, WeightedLogProbability<C>{normalizer}, x, weight) /
                      static_cast<C>(classes);
  return {(1 - rule.smoothing) * target_loss + rule.smoothing * mean_loss, normalizer, target_weight};
}

/// p[c] factor - share w[c]
template <typename In>
struct CrossEntropyGradient {
  using C = typename In::Value;
  LogNormalizer<C> normalizer;
  C factor;
  C share;
  LECTERN_HD C operator()(C x, C weight) const {
    return written_power<In>(normalizer(x)) * factor - share * weight;
  }
};

/// out = scale times the gradient of x.
template <typename Group, typename Out, typename In, typename Weight>
LECTERN_HD void cross_entropy_backward_row(const Group& group, std::int64_t classes,
                                           const ClassRule<typename In::Value>& rule, std::int64_t target,
                                           const LogNormalizer<typename In::Value>& normalizer,
                                           typename In::Value scale, const Out& out, const In& x,
                                           const Weight& weight) {
  using C = typename In::Value;
  if (target == rule.ignored) return map_row(group, classes, out, Zero{}, x);
  const bool is_class = target >= 0 && target < classes;
  constexpr C nan = std::numeric_limits<C>::quiet_NaN();
  const C target_factor = is_class ? scale * (1 - rule.smoothing) * weight[target] : nan;
  const C share = scale * rule.smoothing / static_cast<C>(classes);
  const C weights = rule.smoothing == 0 ? C(0) : fold_row<Sum<C>>(group, classes, Second{}, x, weight);
  const CrossEntropyGradient<In> gradient{normalizer, target_factor + share * weights, share};
  const C at_target = is_class ? gradient(x[target], weight[target]) - target_factor : C(0);
  group.sync();  // out may be x
  map_row(group, classes, out, gradient, x.before_next(classes), weight);
  group.sync();
  if (group.rank() == 0 && is_class) out.set(target, at_target);
}

}  // namespace lectern::kernels
