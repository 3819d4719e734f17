#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/row_packs.h"

// out = Functor{}(in…) of contiguous arrays for functors that are long: a hundred instructions or more for an
// element, for which memory waits. A thread reads 16 bytes of float32, or 8 of a 16-bit dtype, but computes
// one element after the other, so that the functor is compiled once, and for all dtypes that are computed in
// float: with a copy for each element of a pack of each dtype these kernels were half of all elementwise
// ones.

namespace lectern::kernels::cuda {

/// Contiguous elements of a dtype that is computed in C, or one scalar for all.
template <RealComputeType C>
class LongOperand {
 public:
  LongOperand(const Array& array, Dtype common) {
    if (array.is_scalar) {
      scalar_ = rounded(load<C>(array.data, array.dtype), common);
    } else {
      data_ = static_cast<const std::byte*>(array.data);
    }
  }

  /// kCount elements from `offset` bytes on.
  template <int kCount>
  LECTERN_HD Pack<C, kCount> read(std::int64_t offset, Dtype dtype) const {
    if (data_ == nullptr) {
      Pack<C, kCount> repeated;
      for (C& value : repeated.value) value = scalar_;
      return repeated;
    }
    if constexpr (std::is_same_v<C, double>) {
      return *reinterpret_cast<const Pack<double, kCount>*>(data_ + offset);
    } else {
      return read_pack<kCount>(data_ + offset, dtype);
    }
  }

 private:
  const std::byte* data_ = nullptr;
  C scalar_{};
};

template <typename Functor, RealComputeType C, typename Indices>
struct LongKernel;

template <typename Functor, RealComputeType C, std::size_t... kIndex>
struct LongKernel<Functor, C, std::index_sequence<kIndex...>> {
  static constexpr int kCount = kPacked<C>;
  using Values = Pack<C, kCount>;

  std::byte* out;
  Dtype dtype;
  std::int64_t size;  ///< of an element
  std::int64_t numel;
  std::array<LongOperand<C>, sizeof...(kIndex)> in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread * kCount; i < numel; i += threads * kCount) {
      const std::int64_t count = numel - i < kCount ? numel - i : kCount;
      Values operands[] = {read(in[kIndex], i, count)...};
      Values results{};
      LECTERN_ROLLED
      for (int j = 0; j < kCount; ++j) {
        push(results, Functor{}(operands[kIndex].value[0]...));
        (push(operands[kIndex], C(0)), ...);
      }
      write(i, count, results);
    }
  }

 private:
  /// The values move up: registers are not indexed.
  LECTERN_HD static void push(Values& values, C last) {
    LECTERN_UNROLLED
    for (int k = 0; k + 1 < kCount; ++k) values.value[k] = values.value[k + 1];
    values.value[kCount - 1] = last;
  }
  LECTERN_HD Values read(const LongOperand<C>& operand, std::int64_t i, std::int64_t count) const {
    if (count == kCount) return operand.template read<kCount>(i * size, dtype);
    Values values{};
    LECTERN_ROLLED
    for (int k = 0; k < kCount; ++k) {
      push(values, operand.template read<1>((k < count ? i + k : i) * size, dtype).value[0]);
    }
    return values;
  }
  LECTERN_HD void write(std::int64_t i, std::int64_t count, Values values) const {
    if (count == kCount) return write<kCount>(i, values);
    LECTERN_ROLLED
    for (int k = 0; k < kCount; ++k) {
      if (k < count) write<1>(i + k, {{values.value[0]}});
      push(values, C(0));
    }
  }
  template <int kWritten>
  LECTERN_HD void write(std::int64_t i, const Pack<C, kWritten>& values) const {
    if constexpr (std::is_same_v<C, double>) {
      *reinterpret_cast<Pack<double, kWritten>*>(out + i * size) = values;
    } else {
      write_pack<kWritten>(out + i * size, dtype, values);
    }
  }
};

/// The operands, which are scalars or lie like `out`, and it are contiguous, of dtype `common` and aligned to
/// packs.
template <typename Functor, RealComputeType C, typename... In>
void launch_long(Dtype common, std::int64_t numel, const Array& out, const In&... in) {
  using Kernel = LongKernel<Functor, C, std::index_sequence_for<In...>>;
  launch_for((numel + Kernel::kCount - 1) / Kernel::kCount, Kernel{static_cast<std::byte*>(out.data),
                                                                   common,
                                                                   element_size(common),
                                                                   numel,
                                                                   {LongOperand<C>(in, common)...}});
}

}  // namespace lectern::kernels::cuda
