#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/convert_number.h"
#include "kernels/dispatch.h"
#include "kernels/elementwise.h"

// How kernels on CUDA read and write elements: one of any dtype, or 16 bytes of one dtype at once.

/// LECTERN_HD for functions that are long, with all dtypes, and not hot: called, so that they are compiled
/// once for all kernels of a file. Arguments that are no parameters of a kernel go by value: they stay in
/// registers.
#ifdef __CUDACC__
#define LECTERN_HD_CALLED __host__ __device__ __noinline__
#else
#define LECTERN_HD_CALLED inline
#endif

namespace lectern::kernels::cuda {

/// dispatch() of a floating dtype.
template <typename Visit>
constexpr void dispatch_floating(Dtype dtype, Visit&& visit) {
  dispatch(dtype, [&]<typename T>(std::type_identity<T> tag) {
    if constexpr (!std::is_integral_v<T>) visit(tag);
  });
}

/// The element at `at`.
template <ComputeType C>
LECTERN_HD C load(const void* at, Dtype dtype) {
  return dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return convert_number<C>(*static_cast<const T*>(at));
  });
}

template <typename R>
LECTERN_HD void store(void* at, Dtype dtype, R value) {
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    *static_cast<T*>(at) = convert_number<T>(value);
  });
}

/// A value rounded to `dtype`, a narrower one of the same kind.
template <ComputeType C>
LECTERN_HD C rounded(C value, Dtype dtype) {
  return dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<Compute<T>, C>) {
      return static_cast<C>(convert_number<T>(value));
    } else {
      return value;
    }
  });
}

/// 16 bytes of elements, which a thread reads at once; `Pack<bool, n>` goes with n of them.
inline constexpr int kPackBytes = 16;
template <typename T>
inline constexpr int kPacked = kPackBytes / static_cast<int>(sizeof(T));

template <typename T, int kCount = kPacked<T>>
struct alignas(sizeof(T) * kCount) Pack {
  T value[kCount];
};

/// Whether packs of `bytes` bytes may be read and written there.
inline bool is_aligned(const void* data, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

/// The element types that have their own kernels for contiguous arrays.
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

}  // namespace lectern::kernels::cuda
