#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/geometry.h"

// out = f(in…) for a functor, in one of two ways: elements of one dtype that lie one after the other go 16
// bytes at a time; anything else one by one, through strides and conversions.

namespace lectern::kernels::cuda {

/// The types of element that have kernels of their own for contiguous arrays.
template <typename T>
inline constexpr bool kHasPackedKernels = std::is_same_v<T, std::int64_t> ||
                                          (!std::is_integral_v<T> && sizeof(T) > 1);

/// Calls visit(std::type_identity<T>{}), which returns bool, for these types; false for others.
template <typename Visit>
bool visit_packed_type(Dtype dtype, Visit visit) {
  return dispatch(dtype, [&](auto tag) {
    if constexpr (kHasPackedKernels<typename decltype(tag)::type>) return visit(tag);
    return false;
  });
}

template <typename T, std::size_t>
using Same = T;

/// A functor's result as it is stored among elements of type T.
template <typename T, typename R>
using StoredResult = std::conditional_t<std::is_same_v<R, bool>, bool, T>;

template <typename Functor, typename T, typename Indices>
struct PackedKernel;

template <typename Functor, typename T, std::size_t... kIndex>
struct PackedKernel<Functor, T, std::index_sequence<kIndex...>> {
  using C = Compute<T>;
  using Result = StoredResult<T, std::invoke_result_t<Functor, Same<C, kIndex>...>>;

  Result* out;
  std::int64_t numel;
  std::tuple<Same<PackedSource<T>, kIndex>...> in;

  LECTERN_HD static Result compute(Same<T, kIndex>... values) {
    return convert_number<Result>(Functor{}(static_cast<C>(values)...));
  }

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t packs = numel / kPacked<T>;
    for (std::int64_t i = thread; i < packs; i += threads) {
      const Pack<T> packed[] = {std::get<kIndex>(in).pack(i)...};
      Pack<Result, kPacked<T>> result;
      for (int j = 0; j < kPacked<T>; ++j) result.value[j] = compute(packed[kIndex].value[j]...);
      reinterpret_cast<Pack<Result, kPacked<T>>*>(out)[i] = result;
    }
    const std::int64_t rest = packs * kPacked<T> + thread;
    if (rest < numel) out[rest] = compute(std::get<kIndex>(in).element(rest)...);
  }
};

template <typename Functor, typename C, typename Indices>
struct StridedKernel;

template <typename Functor, typename C, std::size_t... kIndex>
struct StridedKernel<Functor, C, std::index_sequence<kIndex...>> {
  std::byte* out;
  Dtype dtype;
  Geometry geometry;
  std::tuple<Same<Source<C>, kIndex>...> in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < geometry.numel; i += threads) {
      const auto offsets = offsets_of<1 + sizeof...(kIndex)>(geometry, i);
      store(out + offsets.at[0], dtype, Functor{}(std::get<kIndex>(in)(offsets.at[1 + kIndex])...));
    }
  }
};

/// Whether the walk through array `k` goes from element to element, or stays at its only one.
inline bool is_dense(const Geometry& geometry, std::size_t k, const Array& array) {
  return geometry.rank == 1 && (array.number || geometry.strides[k][0] == element_size(array.dtype));
}

template <typename Functor, typename T, typename... In>
bool launch_packed(const Geometry& geometry, const Array& out, const In&... in) {
  if constexpr (std::is_invocable_v<Functor, Same<Compute<T>, sizeof(In)>...>) {
    using Kernel = PackedKernel<Functor, T, std::index_sequence_for<In...>>;
    using Result = typename Kernel::Result;
    if (out.dtype != dtype_of<Result> || !is_aligned(out.data, sizeof(Pack<Result, kPacked<T>>)))
      return false;
    if (!(PackedSource<T>::takes(in) && ...)) return false;
    launch_for((geometry.numel + kPacked<T> - 1) / kPacked<T>,
               Kernel{static_cast<Result*>(out.data), geometry.numel, {PackedSource<T>(in)...}});
    return true;
  } else {
    return false;
  }
}

/// out = Functor(in…), computed in `common`; see kernels/elementwise.h.
template <typename Functor, typename... In>
void apply_functor(Dtype common, std::span<const std::int64_t> sizes, const Array& out, const In&... in) {
  const ArrayStrides strides[] = {{out.strides, element_size(out.dtype)},
                                  {in.strides, element_size(in.dtype)}...};
  const Geometry geometry = make_geometry(sizes, strides);
  if (geometry.numel == 0) return;
  std::size_t array = 1;
  const bool dense = (is_dense(geometry, 0, out) && ... && is_dense(geometry, array++, in));
  const bool packed = dense && visit_packed_type(common, [&](auto tag) {
                        return launch_packed<Functor, typename decltype(tag)::type>(geometry, out, in...);
                      });
  if (packed) return;
  dispatch_compute(common, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if constexpr (std::is_invocable_v<Functor, Same<C, sizeof(In)>...>) {
      using Kernel = StridedKernel<Functor, C, std::index_sequence_for<In...>>;
      launch_for(geometry.numel,
                 Kernel{static_cast<std::byte*>(out.data), out.dtype, geometry, {Source<C>(in, common)...}});
    }
  });
}

}  // namespace lectern::kernels::cuda
