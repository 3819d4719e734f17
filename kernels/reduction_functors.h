#pragma once

#include <cstdint>
#include <limits>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/exp_log.h"
#include "kernels/fold_functors.h"
#include "kernels/math.h"

// The reductions: a functor for each row of kernels/reduction_table.h, for host and device, over the compute
// type T. A functor has
//
//   kFlops                        floating-point operations per element (device/counters.h)
//   State                         the reduction of some of the elements
//   start()                       the identity
//   absorb(state, value, index)   adds one more element, at `index` along the reduction
//   merge(a, b)                   combines both
//   finish(state, count)          the result, of `count` elements
//
// The elements may come in any order and grouping. If State is more than a T, position(state) may be a second
// result. Where cached elements are better read twice than absorbed one by one, there are
//
//   Pivot                         the reduction that comes first
//   Term{pivot}(value)            with its result, the term to sum then
//   from_terms(pivot, sum, count)   the state
//
// If a rounded pivot may matter, needs_rest(pivot, sum, count) says whether it does; then the sum of
// Rest{pivot}(value) is a fourth argument.

namespace lectern::kernels {

/// The state is a value like the elements.
template <ComputeType T, typename Combine>
struct Fold {
  static constexpr int kFlops = 1;
  using State = T;

  LECTERN_HD static State absorb(State state, T value, std::int64_t) { return Combine{}(state, value); }
  LECTERN_HD static State merge(State a, State b) { return Combine{}(a, b); }
  LECTERN_HD static T finish(State state, std::int64_t) { return state; }
};

template <ComputeType T>
struct Sum : Fold<T, Add> {
  LECTERN_HD static T start() { return 0; }
};

template <RealComputeType T>
struct Mean : Sum<T> {
  LECTERN_HD static T finish(T sum, std::int64_t count) { return sum / static_cast<T>(count); }
};

template <ComputeType T>
struct Prod : Fold<T, Mul> {
  LECTERN_HD static T start() { return 1; }
};

/// Whether any is nonzero, as 1 or 0. NaN is nonzero.
template <ComputeType T>
struct Any : Fold<T, Maximum> {
  LECTERN_HD static T start() { return 0; }
  LECTERN_HD static T absorb(T state, T value, std::int64_t) { return value != 0 ? T(1) : state; }
};

/// Whether no element is 0.
template <ComputeType T>
struct All : Fold<T, Minimum> {
  LECTERN_HD static T start() { return 1; }
  LECTERN_HD static T absorb(T state, T value, std::int64_t) { return value == 0 ? T(0) : state; }
};

template <ComputeType T>
struct CountNonzero : Sum<T> {
  static constexpr int kFlops = 2;
  LECTERN_HD static T absorb(T state, T value, std::int64_t) { return state + (value != 0 ? T(1) : T(0)); }
};

template <RealComputeType T>
struct SumAbs : Sum<T> {
  static constexpr int kFlops = 2;
  LECTERN_HD static T absorb(T state, T value, std::int64_t) { return state + math::abs(value); }
};

template <RealComputeType T>
struct SumOfSquares : Sum<T> {
  static constexpr int kFlops = 2;
  LECTERN_HD static T absorb(T state, T value, std::int64_t) {
    return math::multiply_add(value, value, state);
  }
};

/// The root of the sum of squares.
template <RealComputeType T>
struct Norm2 : SumOfSquares<T> {
  LECTERN_HD static T finish(T sum, std::int64_t) { return math::sqrt(sum); }
};

/// The identity of the maximum.
template <ComputeType T>
inline constexpr T kLowest = RealComputeType<T> ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::min();
template <ComputeType T>
inline constexpr T kHighest = RealComputeType<T> ? std::numeric_limits<T>::infinity()
                                                 : std::numeric_limits<T>::max();

template <ComputeType T>
struct Max : Fold<T, Maximum> {
  LECTERN_HD static T start() { return kLowest<T>; }
};

template <ComputeType T>
struct Min : Fold<T, Minimum> {
  LECTERN_HD static T start() { return kHighest<T>; }
};

template <RealComputeType T>
struct MaxAbs : Fold<T, Maximum> {
  static constexpr int kFlops = 2;
  LECTERN_HD static T start() { return 0; }
  LECTERN_HD static T absorb(T state, T value, std::int64_t) { return Maximum{}(state, math::abs(value)); }
};

template <RealComputeType T>
struct MinAbs : Fold<T, Minimum> {
  static constexpr int kFlops = 2;
  LECTERN_HD static T start() { return kHighest<T>; }
  LECTERN_HD static T absorb(T state, T value, std::int64_t) { return Minimum{}(state, math::abs(value)); }
};

/// The sum of (x - mean)². Elements by Welford's method, merges by the formula of Chan, Golub, LeVeque
/// (1979), "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances". The state is in
/// double: the error of a mean counts in full where it is large and the deviations are small.
template <RealComputeType T>
struct SquaredDeviations {
  static constexpr int kFlops = 4;  ///< sum, difference, square, sum
  struct State {
    double count;
    double mean;
    double squares;
  };
  using Pivot = Mean<T>;
  struct Term {
    T mean;
    LECTERN_HD T operator()(T value) const { return (value - mean) * (value - mean); }
  };

  LECTERN_HD static State start() { return {0, 0, 0}; }
  LECTERN_HD static State absorb(State state, T value, std::int64_t) {
    const double count = state.count + 1;
    const double distance = static_cast<double>(value) - state.mean;
    const double mean = state.mean + distance / count;
    return {count, mean, state.squares + distance * (static_cast<double>(value) - mean)};
  }
  LECTERN_HD static State merge(State a, State b) {
    const double count = a.count + b.count;
    const double share = count > 0 ? b.count / count : 0.0;
    const double distance = b.mean - a.mean;
    return {count, a.mean + distance * share,
            a.squares + b.squares + distance * distance * (a.count * share)};
  }
  /// About a rounded mean the differences do not add up to 0, which counts where it is large beside them.
  struct Rest {
    T mean;
    LECTERN_HD T operator()(T value) const { return value - mean; }
  };
  LECTERN_HD static bool needs_rest(T mean, T sum, std::int64_t count) {
    constexpr T kLargeMean = 512;  // in standard deviations
    return sum * (kLargeMean * kLargeMean) < mean * mean * static_cast<T>(count);
  }
  LECTERN_HD static State from_terms(T mean, T sum, std::int64_t count, T rest = 0) {
    const double elements = static_cast<double>(count), shift = static_cast<double>(rest) / elements;
    const double squares = static_cast<double>(sum) - static_cast<double>(rest) * shift;
    return {elements, static_cast<double>(mean) + shift, squares < 0 ? 0 : squares};
  }
  LECTERN_HD static T finish(State state, std::int64_t) { return static_cast<T>(state.squares); }
};

/// ln of the sum of e^x, with exponents ≤ 0.
template <RealComputeType T>
struct LogSumExp {
  static constexpr int kFlops = 4;  ///< maximum, difference, exp, sum
  struct State {
    T max;
    T sum;  ///< of e^(x - max)
  };
  using Pivot = Max<T>;
  struct Term {
    T max;
    /// 1 for equal infinities too, whose difference is NaN.
    LECTERN_HD T operator()(T value) const {
      const T power = math::exp_term(value - max);
      return value == max ? T(1) : power;
    }
  };

  LECTERN_HD static State start() { return {kLowest<T>, 0}; }
  LECTERN_HD static State absorb(State state, T value, std::int64_t) { return merge(state, {value, 1}); }
  LECTERN_HD static State merge(State a, State b) {
    const bool rises = b.max > a.max;
    const State high = rises ? b : a, low = rises ? a : b;
    return {high.max, high.sum + low.sum * Term{high.max}(low.max)};
  }
  LECTERN_HD static State from_terms(T max, T sum, std::int64_t) { return {max, sum}; }
  LECTERN_HD static T finish(State state, std::int64_t) { return state.max + math::log(state.sum); }
};

/// Max or Min, and its first index.
template <ComputeType T, typename Extremum>
struct Position {
  static constexpr int kFlops = 1;
  using Value = Extremum;
  struct State {
    T value;
    std::int64_t index;
  };

  LECTERN_HD static bool same(T a, T b) { return a == b || (math::is_nan(a) && math::is_nan(b)); }

  LECTERN_HD static State start() { return {Extremum::start(), std::numeric_limits<std::int64_t>::max()}; }
  LECTERN_HD static State absorb(State state, T value, std::int64_t index) {
    return merge(state, {value, index});
  }
  LECTERN_HD static State merge(State a, State b) {
    if (same(a.value, b.value)) return a.index < b.index ? a : b;
    return same(a.value, Extremum::merge(a.value, b.value)) ? a : b;
  }
  LECTERN_HD static T finish(State state, std::int64_t) { return state.value; }
  LECTERN_HD static std::int64_t position(State state) { return state.index; }
};

template <ComputeType T>
struct MaxPosition : Position<T, Max<T>> {};

template <ComputeType T>
struct MinPosition : Position<T, Min<T>> {};

/// The merge of a reduction's states as a function object.
template <typename Functor>
struct MergeStates {
  using State = typename Functor::State;

  LECTERN_HD State operator()(const State& a, const State& b) const { return Functor::merge(a, b); }
};

}  // namespace lectern::kernels
