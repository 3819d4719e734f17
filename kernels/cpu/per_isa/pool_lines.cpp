#include "kernels/cpu/pool_lines.h"

#include <cstddef>
#include <utility>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/stream_bytes.h"

namespace lectern::kernels::cpu::LECTERN_ISA {
namespace {

constexpr std::size_t kBytes = vector_bytes() < 32 ? vector_bytes() : 32;

template <typename T>
struct Maxima {
  typedef T Values __attribute__((vector_size(kBytes)));
  typedef PoolIndex<T> Indices __attribute__((vector_size(kBytes)));
  static constexpr int kLanes = kBytes / sizeof(T);
  static_assert(kPoolGroup % kLanes == 0);

  Values values;
  Indices indices;
};

/// Every kStride-th element, or every `stride`-th if kStride is 0.
template <int kStride, typename T>
void load(typename Maxima<T>::Values& values, const T* from, std::int64_t stride) {
  constexpr int kLanes = Maxima<T>::kLanes;
  if constexpr (kStride == 1) {
    __builtin_memcpy(&values, from, sizeof values);
  } else if constexpr (kStride == 2) {
    typename Maxima<T>::Values first, second;
    __builtin_memcpy(&first, from, sizeof first);
    __builtin_memcpy(&second, from + kLanes, sizeof second);
    [&]<std::size_t... lane>(std::index_sequence<lane...>) {
      values = __builtin_shufflevector(first, second, 2 * lane...);
    }
    (std::make_index_sequence<kLanes>{});
  } else {
    for (int lane = 0; lane < kLanes; ++lane) values[lane] = from[lane * stride];
  }
}

template <int kStride, typename T>
void search(Maxima<T>& best, const PoolLines<T>& lines, std::int64_t first) {
  typename Maxima<T>::Indices steps{};
  for (int lane = 0; lane < Maxima<T>::kLanes; ++lane)
    steps[lane] = static_cast<PoolIndex<T>>(lane * lines.stride);
  for (std::int64_t r = 0; r < lines.count; ++r) {
    const T* const line = lines.data + r * lines.pitch + first;
    const std::int64_t index = lines.index + r * lines.index_pitch + first;
    for (std::int64_t k = 0; k < lines.kernel; ++k) {
      typename Maxima<T>::Values values{};
      load<kStride, T>(values, line + k * lines.dilation, lines.stride);
      const auto indices = steps + static_cast<PoolIndex<T>>(index + k * lines.dilation);
      const auto is_nan = values != values;  // NOLINT(misc-redundant-expression)
      const auto larger = (values > best.values) | is_nan;
      best.values = larger ? values : best.values;
      best.indices = larger ? indices : best.indices;
    }
  }
}

template <int kStride, typename T>
void search_all(T* values, PoolIndex<T>* indices, const PoolLines<T>& lines, std::int64_t windows) {
  for (std::int64_t i = 0; i < windows; i += Maxima<T>::kLanes) {
    Maxima<T> best;
    best.values = typename Maxima<T>::Values{} - static_cast<T>(__builtin_inf());
    __builtin_memcpy(&best.indices, indices + i, sizeof best.indices);
    search<kStride>(best, lines, i * lines.stride);
    __builtin_memcpy(values + i, &best.values, sizeof best.values);
    __builtin_memcpy(indices + i, &best.indices, sizeof best.indices);
  }
}

template <typename T>
void maxima(T* values, PoolIndex<T>* indices, const PoolLines<T>& lines, std::int64_t windows) {
  if (lines.stride == 1) return search_all<1>(values, indices, lines, windows);
  if (lines.stride == 2) return search_all<2>(values, indices, lines, windows);
  search_all<0>(values, indices, lines, windows);
}

}  // namespace

constinit const PoolLineKernels pool_line_kernels = {{maxima<float>}, {maxima<double>}};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
