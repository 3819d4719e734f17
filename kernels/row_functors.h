#pragma once

#include <cstdint>

#include "kernels/arithmetic_functors.h"
#include "kernels/exp_log.h"
#include "kernels/reduction_functors.h"
#include "kernels/row.h"

// The row operations: a functor for each of LECTERN_ROW_OPERATIONS (kernels/reduction_table.h), for host and
// device. A functor has
//
//   forward(group, count, out, x)         the operation on a row of `count` elements (kernels/row.h)
//   backward(group, count, out, grad, y)  the gradient of x from those of y = forward(x)
//   kFlops, kBackwardFlops                floating-point operations per element (device/counters.h)
//   kDrafts                               whether forward() writes what it reads again: out.draft()
//
// In those here, of softmax, exponents are ≤ 0, so that nothing overflows. As in PyTorch a row with NaN or
// infinity, or with -infinity only, gives NaN.

namespace lectern::kernels {

/// The larger one, if `b` is not NaN. One instruction.
struct LargerNumber {
  template <RealComputeType C>
  LECTERN_HD C operator()(C a, C b) const {
    return b > a ? b : a;
  }
};

/// The maximum of a row, ignoring NaN, which the sums over the row propagate.
template <RealComputeType C>
struct MaxNumber : Fold<C, LargerNumber> {
  LECTERN_HD static C start() { return kLowest<C>; }
};

// In the following Sign is Itself or Neg: x as it is, or -x.

/// e^(x - max) * factor
template <RealComputeType C, typename Sign>
struct ScaledPower {
  C max;
  C factor;
  LECTERN_HD C operator()(C x) const { return math::exp_term(Sign{}(x)-max) * factor; }
};

/// e^(x - origin), for sums.
template <RealComputeType C, typename Sign>
struct PowerFrom {
  C origin;
  LECTERN_HD C operator()(C x) const { return math::rough_exp_term(Sign{}(x)-origin); }
};

template <RealComputeType C>
struct Scaled {
  C factor;
  LECTERN_HD C operator()(C x) const { return x * factor; }
};

struct Times {
  template <RealComputeType C>
  LECTERN_HD C operator()(C a, C b) const {
    return a * b;
  }
};

/// The maximum of a row and the sum of e^(x - max), NaN if the maximum is infinite. In one pass: for near
/// rows, exponents are differences from the first element; a maximum so far from it that terms are too large
/// or lose digits (or infinite, or NaN) takes a second pass.
template <RealComputeType C, typename Sign = Itself, typename Group, typename In>
LECTERN_HD typename LogSumExp<C>::State row_powers(const Group& group, std::int64_t count, const In& x) {
  if constexpr (In::kNear) {
    constexpr C kFar = 32;
    const C origin = Sign{}(x[0]);
    const auto [max, sum] = fold_row_twice<MaxNumber<C>, Sum<C>>(
        group, count, Sign{}, PowerFrom<C, Sign>{origin}, x.before_next(count));
    if (max - origin <= kFar) return {max, sum * math::exp_term(origin - max)};
    return {max, fold_row<Sum<C>>(group, count, PowerFrom<C, Sign>{max}, x)};
  } else {
    const auto powers = fold_row<LogSumExp<C>>(group, count, Sign{}, x);
    return {powers.max, powers.sum + (powers.max - powers.max)};
  }
}

/// What log_softmax subtracts from each element: ln Σ e^x in two parts, so that large ones lose no digits. As
/// a function, log_softmax.
template <RealComputeType C>
struct LogNormalizer {
  C max;
  C log_sum;  ///< ln Σ e^(x - max)
  LECTERN_HD C operator()(C x) const { return x - max - log_sum; }
};

template <RealComputeType C, typename Sign>
struct SoftmaxGradient {
  C sum;
  LECTERN_HD C operator()(C grad, C y) const { return Sign{}((grad - sum) * y); }
};

template <typename Sign>
struct SignedSoftmax {
  static constexpr int kFlops =
      5;  ///< maximum, difference, exponential, sum, quotient; signs are not counted
  static constexpr int kBackwardFlops = 4;
  static constexpr bool kDrafts = true;

  /// out = e^(x - max) / Σ e^(x - max). Exponentials of near rows are kept.
  template <typename Group, typename Out, typename In>
  LECTERN_HD static void forward(const Group& group, std::int64_t count, const Out& out, const In& x) {
    using C = typename In::Value;
    if constexpr (In::kNear) {
      const C max = fold_row<MaxNumber<C>>(group, count, Sign{}, x);
      const auto powers = out.draft();
      map_row(group, count, powers, ScaledPower<C, Sign>{max, 1}, x.before_next(count));
      const C sum = fold_row<Sum<C>>(group, count, Itself{}, powers);
      map_row(group, count, out, Scaled<C>{1 / sum}, powers);
    } else {
      const auto powers = row_powers<C, Sign>(group, count, x);
      map_row(group, count, out, ScaledPower<C, Sign>{powers.max, 1 / powers.sum}, x);
    }
  }

  /// out = y (grad - Σ grad y)
  template <typename Group, typename Out, typename In>
  LECTERN_HD static void backward(const Group& group, std::int64_t count, const Out& out, const In& grad,
                                  const In& y) {
    using C = typename In::Value;
    const C sum = fold_row<Sum<C>>(group, count, Times{}, grad, y);
    map_row(group, count, out, SoftmaxGradient<C, Sign>{sum}, grad.before_next(count), y.before_next(count));
  }
};

using Softmax = SignedSoftmax<Itself>;
using Softmin = SignedSoftmax<Neg>;

template <RealComputeType C>
struct LogSoftmaxGradient {
  C sum;
  LECTERN_HD C operator()(C grad, C y) const { return grad - math::exp_term(y) * sum; }
};

struct LogSoftmax {
  static constexpr int kFlops = 5;
  static constexpr int kBackwardFlops = 4;
  static constexpr bool kDrafts = false;

  /// out = x - max - ln Σ e^(x - max)
  template <typename Group, typename Out, typename In>
  LECTERN_HD static void forward(const Group& group, std::int64_t count, const Out& out, const In& x) {
    using C = typename In::Value;
    const auto powers = row_powers<C>(group, count, x);
    map_row(group, count, out, LogNormalizer<C>{powers.max, math::log(powers.sum)}, x);
  }

  /// out = grad - e^y Σ grad
  template <typename Group, typename Out, typename In>
  LECTERN_HD static void backward(const Group& group, std::int64_t count, const Out& out, const In& grad,
                                  const In& y) {
    using C = typename In::Value;
    const C sum = fold_row<Sum<C>>(group, count, Itself{}, grad);
    map_row(group, count, out, LogSoftmaxGradient<C>{sum}, grad.before_next(count), y.before_next(count));
  }
};

}  // namespace lectern::kernels
