#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/long_kernels.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/rough_functors.h"
#include "kernels/cuda/row_packs.h"
#include "kernels/cuda/transposed_operand.h"
#include "kernels/geometry.h"

// out = operation(in…) in one of four ways. Contiguous elements of one dtype go 16 bytes at a time, by a
// kernel of the operation's own, or for long ones by one of kernels/cuda/long_kernels.h. The most frequent
// operations have kernels for rows of different dtypes (kernels/cuda/row_packs.h) and for a transposed
// operand (kernels/cuda/transposed_operand.h). Anything else goes one by one, through strides and
// conversions, beside which looking up the operation costs little: one kernel serves them all.

namespace lectern::kernels::cuda {

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
  using R = std::invoke_result_t<Functor, Same<C, kIndex>...>;
  using Result = StoredResult<T, R>;

  Result* out;
  std::int64_t numel;
  std::tuple<Same<PackedSource<T>, kIndex>...> in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t packs = numel / kPacked<T>;
    for (std::int64_t i = thread; i < packs; i += threads) {
      const Pack<C, kPacked<T>> packed[] = {std::get<kIndex>(in).numbers(i)...};
      Pack<R, kPacked<T>> results;
      for (int j = 0; j < kPacked<T>; ++j)
        results.value[j] = FunctorOf<Functor, T>{}(packed[kIndex].value[j]...);
      if constexpr (std::is_same_v<R, bool>) {
        reinterpret_cast<Pack<bool, kPacked<T>>*>(out)[i] = results;
      } else {
        write_pack(out + i * kPacked<T>, RawPack::of<T>(results.value));
      }
    }
    const std::int64_t rest = packs * kPacked<T> + thread;
    if (rest < numel)
      out[rest] = convert_number<Result>(FunctorOf<Functor, T>{}(std::get<kIndex>(in).number(rest)...));
  }
};

template <typename Operation, typename C, typename Indices>
struct StridedKernel;

template <typename Operation, typename C, std::size_t... kIndex>
struct StridedKernel<Operation, C, std::index_sequence<kIndex...>> {
  Operation operation;
  bool is_rough;  ///< the result is rounded to 16 bits (kernels/cuda/rough_functors.h)
  std::byte* out;
  Dtype dtype;
  std::int64_t numel;
  OffsetCalculator<1 + sizeof...(kIndex)> offsets;
  std::tuple<Same<Source<C>, kIndex>...> in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < numel; i += threads) {
      const auto at = offsets(static_cast<std::uint32_t>(i));
      store(out + at.at[0], dtype, compute(std::get<kIndex>(in)(at.at[1 + kIndex])...));
    }
  }

 private:
  LECTERN_HD C compute(Same<C, kIndex>... values) const {
    return dispatch(operation, [&]<typename Functor>(Functor functor) {
      if constexpr (std::is_invocable_v<Functor, Same<C, kIndex>...>) {
        if constexpr (std::is_same_v<C, float> && kHasRoughForm<Functor>) {
          if (is_rough) return RoughFunctor<Functor>{}(values...);
        }
        return static_cast<C>(functor(values...));
      } else {
        return C(0);
      }
    });
  }
};

/// Whether the walk through array `k` is contiguous, or stays at its only element.
inline bool is_dense(const Geometry& geometry, std::size_t k, const Array& array) {
  return geometry.rank == 1 && (array.is_scalar || geometry.strides[k][0] == element_size(array.dtype));
}

/// The same for all arrays, in order.
template <typename... In>
bool are_dense(const Geometry& geometry, const In&... arrays) {
  std::size_t k = 0;
  return (is_dense(geometry, k++, arrays) && ...);
}

/// Launches it pack by pack if possible; returns whether. The arrays are dense.
template <typename Operation, typename... In>
bool launch_packed(const Operation& operation, Dtype common, std::int64_t numel, const Array& out,
                   const In&... in) {
  return visit_packed_type(common, [&]<typename T>(std::type_identity<T>) {
    if (!(PackedSource<T>::takes(in) && ...)) return false;
    const std::tuple<Same<PackedSource<T>, sizeof(In)>...> sources(in...);
    return dispatch(operation, [&]<typename Functor>(Functor) {
      if constexpr (std::is_invocable_v<Functor, Same<Compute<T>, sizeof(In)>...>) {
        using Kernel = PackedKernel<Functor, T, std::index_sequence_for<In...>>;
        using Result = typename Kernel::Result;
        if (out.dtype != dtype_of<Result> || !is_aligned(out.data, sizeof(Pack<Result, kPacked<T>>)))
          return false;
        if constexpr (kIsLong<Functor> && RealComputeType<Compute<T>>) {
          launch_long<Functor, Compute<T>>(common, numel, out, in...);
        } else {
          launch_for((numel + kPacked<T> - 1) / kPacked<T>,
                     Kernel{static_cast<Result*>(out.data), numel, sources});
        }
        return true;
      }
      return false;
    });
  });
}

/// Launches it row by row if it has such a kernel for the arrays; returns whether.
template <typename Operation, typename... In>
bool launch_rows(const Operation& operation, Dtype common, const Geometry& geometry, const Array& out,
                 const In&... in) {
  return dispatch(operation, [&]<typename Functor>(Functor) {
    if constexpr (kHasRowPacks<Functor> &&
                  std::is_invocable_v<Functor, std::conditional_t<true, float, In>...>) {
      if constexpr (sizeof...(In) == 2) {
        if (launch_transposed<Functor>(common, geometry, out, in...)) return true;
      }
      return launch_row_packs<Functor>(common, geometry, out, in...);
    }
    return false;
  });
}

template <typename Operation, typename... In>
void launch_strided(const Operation& operation, Dtype common, const Geometry& geometry, const Array& out,
                    const In&... in) {
  dispatch_compute(common, [&]<typename C>(std::type_identity<C>) {
    if constexpr (RealComputeType<C> || kTakesIntegers<Operation>) {
      using Kernel = StridedKernel<Operation, C, std::index_sequence_for<In...>>;
      for_each_part(geometry, [&](const Geometry& part, const auto& offsets) {
        std::size_t k = 1;
        launch_for(part.numel, Kernel{operation,
                                      common == float16 || common == bfloat16,
                                      static_cast<std::byte*>(out.data) + offsets[0],
                                      out.dtype,
                                      part.numel,
                                      OffsetCalculator<1 + sizeof...(In)>(part),
                                      {Source<C>(in, common, offsets[k++])...}});
      });
    }
  });
}

/// out = operation(in…), computed in `common`; see kernels/elementwise.h.
template <typename Operation, typename... In>
void apply_operation(const Operation& operation, Dtype common, std::span<const std::int64_t> sizes,
                     const Array& out, const In&... in) {
  const Geometry geometry = make_geometry(sizes, out, in...);
  if (geometry.numel == 0) return;
  if (are_dense(geometry, out, in...) && launch_packed(operation, common, geometry.numel, out, in...)) return;
  if (launch_rows(operation, common, geometry, out, in...)) return;
  launch_strided(operation, common, geometry, out, in...);
}

/// out = gradient(in…), of as many operands as it takes.
template <typename Gradient>
void apply_gradient_operation(const Gradient& gradient, Dtype common, std::span<const std::int64_t> sizes,
                              const Array& out, std::span<const Array> in) {
  if (in.size() == 1) return apply_operation(gradient, common, sizes, out, in[0]);
  if (in.size() == 2) return apply_operation(gradient, common, sizes, out, in[0], in[1]);
  apply_operation(gradient, common, sizes, out, in[0], in[1], in[2]);
}

}  // namespace lectern::kernels::cuda
