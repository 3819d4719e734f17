#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/elements.h"
#include "kernels/geometry.h"
#include "kernels/reduction_geometry.h"

namespace lectern::kernels::cuda {

template <typename Functor>
inline constexpr bool kHasPosition = requires(typename Functor::State state) {
  Functor::position(state);
};

/// Where the state of a result, or of a part of one, goes.
template <typename Functor>
struct Target {
  using State = typename Functor::State;

  std::byte* out;
  Dtype dtype;
  std::byte* positions;
  std::int64_t count;       ///< elements of a result
  State* states = nullptr;  ///< where the states of parts go instead

  LECTERN_HD_CALLED void put(const Geometry& kept, std::int64_t result, std::int64_t slot,
                             State state) const {
    if (states != nullptr) {
      states[slot] = state;
      return;
    }
    const auto place = element_offsets<2>(kept, result);
    store(out + place.at[ReductionGeometry::kOut], dtype, Functor::finish(state, count));
    if constexpr (kHasPosition<Functor>) {
      if (positions == nullptr) return;
      const auto places = element_offsets<3>(kept, result);
      *reinterpret_cast<std::int64_t*>(positions + places.at[ReductionGeometry::kPositions]) =
          Functor::position(state);
    }
  }
};

}  // namespace lectern::kernels::cuda
