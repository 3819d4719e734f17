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
// operand (kernels/cuda/transposed_operand.h). Anything else goes by two elements, through strides and
// conversions: one kernel serves all operations, and looks up operation and dtypes for both.

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

/// Elements that a thread of a StridedKernel has at once, and where they are.
inline constexpr int kStrided = 2;
struct StridedPlaces {
  std::uint32_t at[kStrided];
};

/// An operand of an operation that computes in C, for a common dtype: an array of any dtype, from `offset`
/// bytes on, or a scalar.
template <ComputeType C>
class StridedOperand {
 public:
  using Values = Pack<C, kStrided>;

  StridedOperand(const Array& array, Dtype common, std::int64_t offset)
      : dtype_(array.dtype), common_(common), rounds_(array.dtype != common) {
    if (array.is_scalar) {
      scalar_ = rounded(load<C>(array.data, array.dtype), common);
    } else {
      data_ = static_cast<const std::byte*>(array.data) + offset;
    }
  }

  LECTERN_HD Values operator()(const StridedPlaces& places) const {
    Values values;
    if (data_ == nullptr) {
      for (C& value : values.value) value = scalar_;
      return values;
    }
    dispatch(dtype_, [&]<typename T>(std::type_identity<T>) {
      T read[kStrided];
      for (int i = 0; i < kStrided; ++i) read[i] = *reinterpret_cast<const T*>(data_ + places.at[i]);
      for (int i = 0; i < kStrided; ++i) values.value[i] = convert_number<C>(read[i]);
    });
    if (rounds_) {
      for (C& value : values.value) value = rounded(value, common_);
    }
    return values;
  }

 private:
  const std::byte* data_ = nullptr;
  C scalar_{};
  Dtype dtype_;
  Dtype common_;
  bool rounds_;
};

template <typename Operation, typename C, typename Indices>
struct StridedKernel;

template <typename Operation, typename C, std::size_t... kIndex>
struct StridedKernel<Operation, C, std::index_sequence<kIndex...>> {
  static constexpr std::size_t kArrays = 1 + sizeof...(kIndex);
  using Values = Pack<C, kStrided>;

  Operation operation;
  bool is_rough;  ///< the result is rounded to 16 bits (kernels/cuda/rough_functors.h)
  std::byte* out;
  Dtype dtype;
  std::int64_t numel;
  OffsetCalculator<kArrays> offsets;
  std::tuple<Same<StridedOperand<C>, kIndex>...> in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t first = thread; first < numel; first += kStrided * threads) {
      StridedPlaces places[kArrays];
      for (int i = 0; i < kStrided; ++i) {
        const std::int64_t index = first + i * threads;  // the first once more if it is not there
        const auto at = offsets(static_cast<std::uint32_t>(index < numel ? index : first));
        for (std::size_t k = 0; k < kArrays; ++k) places[k].at[i] = at.at[k];
      }
      write(places[0], compute(std::get<kIndex>(in)(places[1 + kIndex])...));
    }
  }

 private:
  LECTERN_HD Values compute(const Same<Values, kIndex>&... values) const {
    return dispatch(operation, [&]<typename Functor>(Functor functor) {
      Values results{};
      if constexpr (std::is_invocable_v<Functor, Same<C, kIndex>...>) {
        if constexpr (std::is_same_v<C, float> && kHasRoughForm<Functor>) {
          if (is_rough) {
            for (int i = 0; i < kStrided; ++i) results.value[i] = RoughFunctor<Functor>{}(values.value[i]...);
            return results;
          }
        }
        for (int i = 0; i < kStrided; ++i) results.value[i] = static_cast<C>(functor(values.value[i]...));
      }
      return results;
    });
  }
  LECTERN_HD void write(const StridedPlaces& places, const Values& values) const {
    dispatch(dtype, [&]<typename T>(std::type_identity<T>) {
      for (int i = 0; i < kStrided; ++i)
        *reinterpret_cast<T*>(out + places.at[i]) = convert_number<T>(values.value[i]);
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
        launch_for((part.numel + kStrided - 1) / kStrided,
                   Kernel{operation,
                          common == float16 || common == bfloat16,
                          static_cast<std::byte*>(out.data) + offsets[0],
                          out.dtype,
                          part.numel,
                          OffsetCalculator<1 + sizeof...(In)>(part),
                          {StridedOperand<C>(in, common, offsets[k++])...}});
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
