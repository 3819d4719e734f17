#pragma once

#include <cstdint>
#include <limits>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/fold_functors.h"

// What the reductions do: a functor for each row of kernels/reduction_table.h, for host and device, over the
// type T that is computed in. A functor has
//
//   State                         what is known of some of the elements
//   start()                       of none of them
//   absorb(state, value, index)   of one more, which stands at `index` along the reduction
//   merge(a, b)                   of both together
//   finish(state, count)          the result, of `count` elements
//
// The elements may come in any order and grouping. Where State is more than a T, position(state) may be a
// second result.

namespace lectern::kernels {

/// The state is a number like those that it takes in.
template <ComputeType T, typename Combine>
struct Fold {
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

/// What is no larger than any number.
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

/// Max or Min, and the first index at which it stands.
template <ComputeType T, typename Extremum>
struct Position {
  using Value = Extremum;
  struct State {
    T value;
    std::int64_t index;
  };

  LECTERN_HD static bool same(T a, T b) { return a == b || (is_nan(a) && is_nan(b)); }

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

}  // namespace lectern::kernels
