#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/geometry.h"

// Elementwise operations in float on rows: along the innermost dimension each array is contiguous or repeats
// an element, along the others it lies anyhow; each is of float32, float16 or bfloat16. Such are operands of
// different dtypes, rows and columns that are broadcast, and parts of larger tensors. A thread has kCount
// neighbours: dtypes, which are known at run time only, are looked up once for all of them. With a kCount of
// 1 the arrays lie anyhow along rows, too.

namespace lectern::kernels::cuda {

inline bool has_row_packs(Dtype dtype) {
  return dtype == float32 || dtype == float16 || dtype == bfloat16;
}

/// kCount elements from an address on, as floats.
template <int kCount>
LECTERN_HD Pack<float, kCount> read_pack(const std::byte* at, Dtype dtype) {
  constexpr int kAtOnce = kCount < kPacked<float> ? kCount : kPacked<float>;
  Pack<float, kCount> values;
  if (dtype == float32) {
    for (int p = 0; p < kCount / kAtOnce; ++p) {
      const auto pack = reinterpret_cast<const Pack<float, kAtOnce>*>(at)[p];
      for (int i = 0; i < kAtOnce; ++i) values.value[p * kAtOnce + i] = pack.value[i];
    }
  } else if (dtype == bfloat16) {
    const auto pack = *reinterpret_cast<const Pack<BFloat16, kCount>*>(at);
    for (int i = 0; i < kCount; ++i) values.value[i] = static_cast<float>(pack.value[i]);
  } else {
    const auto pack = *reinterpret_cast<const Pack<Half, kCount>*>(at);
    for (int i = 0; i < kCount; ++i) values.value[i] = static_cast<float>(pack.value[i]);
  }
  return values;
}

template <int kCount>
LECTERN_HD void write_pack(std::byte* at, Dtype dtype, const Pack<float, kCount>& values) {
  constexpr int kAtOnce = kCount < kPacked<float> ? kCount : kPacked<float>;
  if (dtype == float32) {
    for (int p = 0; p < kCount / kAtOnce; ++p) {
      Pack<float, kAtOnce> pack;
      for (int i = 0; i < kAtOnce; ++i) pack.value[i] = values.value[p * kAtOnce + i];
      reinterpret_cast<Pack<float, kAtOnce>*>(at)[p] = pack;
    }
  } else if (dtype == bfloat16) {
    Pack<BFloat16, kCount> pack;
    for (int i = 0; i < kCount; ++i) pack.value[i] = convert_number<BFloat16>(values.value[i]);
    *reinterpret_cast<Pack<BFloat16, kCount>*>(at) = pack;
  } else {
    Pack<Half, kCount> pack;
    for (int i = 0; i < kCount; ++i) pack.value[i] = convert_number<Half>(values.value[i]);
    *reinterpret_cast<Pack<Half, kCount>*>(at) = pack;
  }
}

/// An operand: an array that is contiguous along rows or repeats an element there, or a scalar.
class RowOperand {
 public:
  RowOperand(const Array& array, Dtype common, std::int64_t offset, std::int64_t step)
      : dtype_(array.dtype), repeats_(step == 0) {
    if (array.is_scalar) {
      scalar_ = rounded(load<float>(array.data, array.dtype), common);
    } else {
      data_ = static_cast<const std::byte*>(array.data) + offset;
    }
  }

  template <int kCount>
  LECTERN_HD Pack<float, kCount> pack(std::uint32_t offset) const {
    if (data_ != nullptr && !repeats_) return read_pack<kCount>(data_ + offset, dtype_);
    const float value = data_ == nullptr ? scalar_ : read_pack<1>(data_ + offset, dtype_).value[0];
    Pack<float, kCount> repeated;
    for (float& element : repeated.value) element = value;
    return repeated;
  }

 private:
  const std::byte* data_ = nullptr;
  float scalar_ = 0;
  Dtype dtype_;
  bool repeats_;
};

template <typename Functor, int kCount, typename Indices>
struct RowPacksKernel;

template <typename Functor, int kCount, std::size_t... kIndex>
struct RowPacksKernel<Functor, kCount, std::index_sequence<kIndex...>> {
  std::byte* out;
  Dtype dtype;
  std::int64_t packs;
  OffsetCalculator<1 + sizeof...(kIndex)> offsets;
  std::array<RowOperand, sizeof...(kIndex)> in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < packs; i += threads) {
      const auto at = offsets(static_cast<std::uint32_t>(i));
      const Pack<float, kCount> operands[] = {in[kIndex].template pack<kCount>(at.at[1 + kIndex])...};
      Pack<float, kCount> result;
      for (int j = 0; j < kCount; ++j) result.value[j] = Functor{}(operands[kIndex].value[j]...);
      write_pack(out + at.at[0], dtype, result);
    }
  }
};

/// Whether an array of a geometry, its `k`-th, has rows in packs of `count` elements. Packs of one lie
/// anyhow.
inline bool has_row_packs(const Geometry& geometry, std::size_t k, const Array& array, std::int64_t count,
                          bool may_repeat) {
  if (array.is_scalar) return may_repeat;
  if (!has_row_packs(array.dtype)) return false;
  if (count == 1) return true;
  const std::int64_t size = element_size(array.dtype);
  const std::int64_t bytes = size * count < kPackBytes ? size * count : kPackBytes;
  if (may_repeat && geometry.strides[k][0] == 0) return true;
  bool has = geometry.strides[k][0] == size && is_aligned(array.data, static_cast<std::size_t>(bytes));
  for (std::size_t d = 1; d < static_cast<std::size_t>(geometry.rank); ++d) {
    has = has && geometry.strides[k][d] % bytes == 0;
  }
  return has;
}

/// The same with packs of `count` elements as its elements.
inline Geometry in_packs(Geometry geometry, std::int64_t count) {
  geometry.sizes[0] /= count;
  geometry.numel /= count;
  for (std::size_t k = 0; k < static_cast<std::size_t>(geometry.arrays); ++k) geometry.strides[k][0] *= count;
  return geometry;
}

/// out = Functor{}(in…) in packs of kCount neighbours; returns whether the arrays have them.
template <typename Functor, int kCount, typename... In>
bool launch_row_packs_of(Dtype common, const Geometry& geometry, const Array& out, const In&... in) {
  std::size_t k = 1;
  const bool possible = geometry.sizes[0] % kCount == 0 && has_row_packs(geometry, 0, out, kCount, false) &&
                        (has_row_packs(geometry, k++, in, kCount, true) && ...);
  if (!possible) return false;
  for_each_part(in_packs(geometry, kCount), [&](const Geometry& part, const auto& offsets) {
    using Indices = std::index_sequence_for<In...>;
    const auto operands = [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
      return std::array<RowOperand, sizeof...(In)>{
          RowOperand(in, common, offsets[1 + kIndex], part.strides[1 + kIndex][0])...};
    };
    launch_for(part.numel, RowPacksKernel<Functor, kCount, Indices>{
                               static_cast<std::byte*>(out.data) + offsets[0], out.dtype, part.numel,
                               OffsetCalculator<1 + sizeof...(In)>(part), operands(Indices{})});
  });
  return true;
}

/// The same in as large packs as possible. Operands are rounded to `common` only if they are scalars.
template <typename Functor, typename... In>
bool launch_row_packs(Dtype common, const Geometry& geometry, const Array& out, const In&... in) {
  const auto keeps_digits = [common](const Array& array) {
    return array.is_scalar || array.dtype == common || common == float32;
  };
  if (!has_row_packs(common) || !(keeps_digits(in) && ...)) return false;
  const bool narrow = out.dtype != float32 && ((in.is_scalar || in.dtype != float32) && ...);
  if (narrow && launch_row_packs_of<Functor, 8>(common, geometry, out, in...)) return true;
  return launch_row_packs_of<Functor, 4>(common, geometry, out, in...) ||
         launch_row_packs_of<Functor, 1>(common, geometry, out, in...);
}

}  // namespace lectern::kernels::cuda
