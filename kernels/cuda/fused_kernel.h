#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "base/small_float.h"
#include "kernels/compute_type.h"
#include "kernels/convert_number.h"
#include "kernels/cuda/rough_functors.h"
#include "kernels/elementwise_functors.h"
#include "kernels/gradient_functors.h"
#include "kernels/reduction_functors.h"
#include "kernels/vectorize.h"

// What the kernels consist of whose source is written at run time (kernels/cuda/fused_source.h).

namespace lectern::kernels::cuda {

/// Neighbours that are read or written at once.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) FusedPack {
  T value[kCount];
};

template <int kCount, typename T>
LECTERN_HD FusedPack<T, kCount> read_fused(const T* at) {
  return *reinterpret_cast<const FusedPack<T, kCount>*>(at);
}
template <int kCount, typename T>
LECTERN_HD void write_fused(T* at, const FusedPack<T, kCount>& pack) {
  *reinterpret_cast<FusedPack<T, kCount>*>(at) = pack;
}

/// An operand of an operation that is computed in elements of type Common, converted to these first.
template <typename Common, typename T>
LECTERN_HD Compute<Common> fused_operand(T x) {
  return convert_number<Compute<Common>>(convert_number<Common>(x));
}

/// A number, which takes the first of 8 bytes.
template <typename T>
LECTERN_HD T fused_number(std::uint64_t bytes) {
  T number;
  __builtin_memcpy(&number, &bytes, sizeof number);
  return number;
}

/// The terms of a reduction with a pivot, and the rests if it has such, summed.
template <typename Functor>
struct FusedTerms {
  using C = decltype(Functor::Pivot::start());
  struct State {
    C sum, rest;
  };
  static constexpr bool kHasRest = requires { typename Functor::Rest; };

  LECTERN_HD static State start() { return {0, 0}; }
  LECTERN_HD static State absorb(State state, C pivot, C value) {
    state.sum += typename Functor::Term{pivot}(value);
    if constexpr (kHasRest) state.rest += typename Functor::Rest{pivot}(value);
    return state;
  }
  LECTERN_HD static State merge(State a, State b) { return {a.sum + b.sum, a.rest + b.rest}; }
  LECTERN_HD static C finish(C pivot, State state, std::int64_t count) {
    if constexpr (kHasRest) {
      return Functor::finish(Functor::from_terms(pivot, state.sum, count, state.rest), count);
    } else {
      return Functor::finish(Functor::from_terms(pivot, state.sum, count), count);
    }
  }
};

/// visit<kPack>(column) for a group's share of the columns from `begin` to `end` - 1; what is left over at
/// the end one by one.
template <int kPack, typename Group, typename Visit>
LECTERN_HD void for_fused_columns(const Group& group, std::int64_t begin, std::int64_t end,
                                  const Visit& visit) {
  const std::int64_t whole = (end - begin) / kPack * kPack;
  for (std::int64_t c = group.rank() * kPack; c < whole; c += group.size() * kPack)
    visit.template operator()<kPack>(begin + c);
  if constexpr (kPack > 1) {
    for (std::int64_t c = begin + whole + group.rank(); c < end; c += group.size())
      visit.template operator()<1>(c);
  }
}

/// The state of all parts of a result, merged by a group in a fixed order.
template <typename Functor, typename Group>
LECTERN_HD typename Functor::State merged_parts(const Group& group, const typename Functor::State* states,
                                                std::int64_t parts) {
  typename Functor::State state = Functor::start();
  for (std::int64_t part = group.rank(); part < parts; part += group.size())
    state = Functor::merge(state, states[part]);
  return group.reduce(state, MergeStates<Functor>{});
}

}  // namespace lectern::kernels::cuda
