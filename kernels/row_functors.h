#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

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

/// The larger one, if `b` is not NaN. One instruction: on a GPU one that ignores NaN on either side.
struct LargerNumber {
  template <RealComputeType C>
  LECTERN_HD C operator()(C a, C b) const {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<C, float>) return fmaxf(a, b);
#endif
    return b > a ? b : a;
  }
};

/// The maximum of a row, ignoring NaN, which the sums over the row propagate.
template <RealComputeType C>
struct MaxNumber : Fold<C, LargerNumber> {
  LECTERN_HD static C start() { return kLowest<C>; }
};

// In the following Sign is Itself or Neg: x as it is, or -x. In says how exactly powers are computed.

/// e^x for x ≤ 0 that are written, and for those that are summed.
template <typename In, RealComputeType C>
LECTERN_HD C written_power(C x) {
  if constexpr (kIsShort<In>) {
    return math::short_exp_term(x);
  } else {
    return math::exp_term(x);
  }
}
template <typename In, RealComputeType C>
LECTERN_HD C summed_power(C x) {
  // Its error grows with |x|, as e^x falls: of the sum it is 2^-21 or so, whatever the dtype.
  if constexpr (TakenInBatches<In>) {
    return math::short_exp_term(x);
  } else {
    return math::rough_exp_term(x);
  }
}

/// e^(x - max) * factor
template <typename In, typename Sign>
struct ScaledPower {
  using C = typename In::Value;
  C max;
  C factor;
  LECTERN_HD C operator()(C x) const { return written_power<In>(Sign{}(x)-max) * factor; }
};

/// e^(x - origin), for sums.
template <typename In, typename Sign>
struct PowerFrom {
  using C = typename In::Value;
  C origin;
  LECTERN_HD C operator()(C x) const { return summed_power<In>(Sign{}(x)-origin); }
};

/// The maximum of a row that a thread has seen, and the sum of e^(x - max): a fold (kernels/row.h) of rows
/// that are read once (Milakov and Gimelshein 2018, "Online normalizer calculation for softmax"). The sum is
/// scaled only when a chunk has a larger maximum.
template <typename In, typename Sign>
class PowersFold {
 public:
  using C = typename In::Value;
  static constexpr int kTaken = In::kChunk;

  template <typename Chunk>
  LECTERN_HD void absorb(const Chunk& chunk) {
    C largest = max_;
    C terms[kTaken];
    LECTERN_UNROLLED
    for (int i = 0; i < kTaken; ++i) largest = LargerNumber{}(largest, Sign{}(chunk[i]));
    raise(largest);
    LECTERN_UNROLLED
    for (int i = 0; i < kTaken; ++i) terms[i] = summed_power<In>(Sign{}(chunk[i]) - max_);
    run_ += sum_halves<kTaken / 2>(terms);
  }
  LECTERN_HD void end_run() {
    sum_ += run_;
    run_ = 0;
  }
  template <bool, typename Element>
  LECTERN_HD void absorb_rest(std::int64_t, const Element& element) {
    const C x = Sign{}(element[0]);
    raise(LargerNumber{}(max_, x));
    sum_ += summed_power<In>(x - max_);
  }
  template <typename Group>
  LECTERN_HD typename LogSumExp<C>::State merged(const Group& group) const {
    const C max = group.reduce(max_, LargerNumber{});
    return {max, group.reduce((sum_ + run_) * summed_power<In>(max_ - max), Add{})};
  }

 private:
  LECTERN_HD void raise(C max) {
    if (!(max > max_)) return;
    const C factor = summed_power<In>(max_ - max);
    run_ *= factor, sum_ *= factor;
    max_ = max;
  }
  template <int kHalf>
  LECTERN_HD static C sum_halves(C* terms) {
    if constexpr (kHalf > 0) {
      for (int i = 0; i < kHalf; ++i) terms[i] += terms[i + kHalf];
      return sum_halves<kHalf / 2>(terms);
    } else {
      return terms[0];
    }
  }

  C max_ = std::numeric_limits<C>::lowest();  // -infinity less itself would be NaN
  C run_ = 0, sum_ = 0;
};

template <RealComputeType C>
struct Scaled {
  C factor;
  LECTERN_HD C operator()(C x) const { return x * factor; }
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
        group, count, Sign{}, PowerFrom<In, Sign>{origin}, x.before_next(count));
    if (max - origin <= kFar) return {max, sum * math::exp_term(origin - max)};
    return {max, fold_row<Sum<C>>(group, count, PowerFrom<In, Sign>{max}, x)};
  } else if constexpr (kIsHeld<In>) {
    const C max = fold_row<MaxNumber<C>>(group, count, Sign{}, x);
    return {max, fold_row<Sum<C>>(group, count, PowerFrom<In, Sign>{max}, x)};
  } else if constexpr (TakenInBatches<In>) {
    PowersFold<In, Sign> fold;
    fold_chunks(fold, group, count, x);
    return fold.merged(group);
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
      map_row(group, count, powers, ScaledPower<In, Sign>{max, 1}, x.before_next(count));
      const C sum = fold_row<Sum<C>>(group, count, Itself{}, powers);
      map_row(group, count, out, Scaled<C>{1 / sum}, powers);
    } else {
      const auto powers = row_powers<C, Sign>(group, count, x);
      map_row(group, count, out, ScaledPower<In, Sign>{powers.max, 1 / powers.sum}, x);
    }
  }

  /// out = y (grad - Σ grad y)
  template <typename Group, typename Out, typename In>
  LECTERN_HD static void backward(const Group& group, std::int64_t count, const Out& out, const In& grad,
                                  const In& y) {
    using C = typename In::Value;
    const C sum = fold_row<Sum<C>>(group, count, Mul{}, grad, y);
    map_row(group, count, out, SoftmaxGradient<C, Sign>{sum}, grad.before_next(count), y.before_next(count));
  }
};

using Softmax = SignedSoftmax<Itself>;
using Softmin = SignedSoftmax<Neg>;

template <typename In>
struct LogSoftmaxGradient {
  using C = typename In::Value;
  C sum;
  LECTERN_HD C operator()(C grad, C y) const { return grad - written_power<In>(y) * sum; }
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
    map_row(group, count, out, LogSoftmaxGradient<In>{sum}, grad.before_next(count), y.before_next(count));
  }
};

}  // namespace lectern::kernels
