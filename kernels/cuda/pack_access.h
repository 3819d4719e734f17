#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/convert_number.h"
#include "kernels/cuda/elements.h"
#include "kernels/vectorize.h"

// 16 bytes of elements as they are in memory, and how kernels read and write them.

namespace lectern::kernels::cuda {

/// In four registers of a GPU, however narrow the elements are.
struct alignas(kPackBytes) RawPack {
  std::uint32_t words[4];

  /// An element of type T as a number.
  template <typename T>
  LECTERN_HD Compute<T> number(int i) const {
    if constexpr (sizeof(T) == 8) {
      const auto high = static_cast<std::uint64_t>(words[2 * i + 1]) << 32;
      return __builtin_bit_cast(T, high | words[2 * i]);
    } else if constexpr (sizeof(T) == 4) {
      return __builtin_bit_cast(T, words[i]);
    } else {
      static_assert(sizeof(T) == 2);
      return half_of<T>(words[i / 2], i % 2 == 1);
    }
  }

  /// Of values converted to T.
  template <typename T>
  LECTERN_HD static RawPack of(const Compute<T> (&values)[kPacked<T>]) {
    RawPack pack;
    LECTERN_UNROLLED
    for (int w = 0; w < 4; ++w) {
      if constexpr (sizeof(T) == 8) {
        std::uint64_t bits;
        __builtin_memcpy(&bits, &values[w / 2], sizeof bits);
        pack.words[w] = static_cast<std::uint32_t>(bits >> (32 * (w % 2)));
      } else if constexpr (sizeof(T) == 4) {
        __builtin_memcpy(&pack.words[w], &values[w], sizeof pack.words[w]);
      } else {
        pack.words[w] = two_of<T>(values[2 * w], values[2 * w + 1]);
      }
    }
    return pack;
  }

  /// Two values converted to T, of 16 bits each, in 32.
  template <typename T>
  LECTERN_HD static std::uint32_t two_of(float low, float high) {
#ifdef __CUDA_ARCH__
    std::uint32_t both;  // in one instruction
    if constexpr (std::is_same_v<T, BFloat16>) {
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    } else {
      static_assert(std::is_same_v<T, Half>);
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    }
    return both;
#else
    return static_cast<std::uint32_t>(convert_number<T>(low).bits) |
           static_cast<std::uint32_t>(convert_number<T>(high).bits) << 16;
#endif
  }

 private:
  template <typename T>
  LECTERN_HD static float half_of(std::uint32_t both, bool upper) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<T, Half>) {
      float number;  // not through a register for each 16 bits, which the compiler would keep
      if (upper) {
        asm("{.reg .b16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, b;}" : "=f"(number) : "r"(both));
      } else {
        asm("{.reg .b16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, a;}" : "=f"(number) : "r"(both));
      }
      return number;
    } else {
      static_assert(std::is_same_v<T, BFloat16>);
      return __uint_as_float(upper ? both & 0xFFFF0000U : both << 16);
    }
#else
    return static_cast<float>(T::from_bits(static_cast<std::uint16_t>(both >> (upper ? 16 : 0))));
#endif
  }
};

/// What is read once: the first cache keeps what others read again.
LECTERN_HD RawPack read_pack(const void* at) {
  RawPack pack;
#ifdef __CUDA_ARCH__
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(pack.words[0]), "=r"(pack.words[1]), "=r"(pack.words[2]), "=r"(pack.words[3])
               : "l"(__cvta_generic_to_global(at)));
#else
  std::memcpy(&pack, at, sizeof pack);
#endif
  return pack;
}

/// What no thread writes while the kernel runs.
LECTERN_HD RawPack read_constant_pack(const void* at) {
#ifdef __CUDA_ARCH__
  const uint4 words = __ldg(static_cast<const uint4*>(at));
  return {{words.x, words.y, words.z, words.w}};
#else
  RawPack pack;
  std::memcpy(&pack, at, sizeof pack);
  return pack;
#endif
}

LECTERN_HD void write_pack(void* at, const RawPack& pack) {
#ifdef __CUDA_ARCH__
  *static_cast<uint4*>(at) = make_uint4(pack.words[0], pack.words[1], pack.words[2], pack.words[3]);
#else
  std::memcpy(at, &pack, sizeof pack);
#endif
}

/// Values converted to T, of at most 16 bytes together, at once.
template <typename T, int kCount>
LECTERN_HD void write_values(T* to, const Compute<T> (&values)[kCount]) {
  Pack<T, kCount> pack;
  if constexpr (sizeof(T) == 2) {
    LECTERN_UNROLLED
    for (int w = 0; w < kCount / 2; ++w) {
      const std::uint32_t both = RawPack::two_of<T>(values[2 * w], values[2 * w + 1]);
      __builtin_memcpy(&pack.value[2 * w], &both, sizeof both);
    }
  } else {
    LECTERN_UNROLLED
    for (int i = 0; i < kCount; ++i) pack.value[i] = values[i];
  }
  *reinterpret_cast<Pack<T, kCount>*>(to) = pack;
}

/// Floats or doubles, in as many packs as they fill.
template <ComputeType C, int kCount>
LECTERN_HD void write_packs(C* to, const C (&values)[kCount]) {
  LECTERN_UNROLLED
  for (int p = 0; p < kCount / kPacked<C>; ++p) {
    C some[kPacked<C>];
    LECTERN_UNROLLED
    for (int i = 0; i < kPacked<C>; ++i) some[i] = values[p * kPacked<C> + i];
    write_pack(to + p * kPacked<C>, RawPack::of<C>(some));
  }
}

/// Contiguous elements of type T, one of visit_packed_type(), or one scalar for all.
template <typename T>
class PackedSource {
 public:
  explicit PackedSource(const Array& array) {
    if (array.is_scalar) {
      convert_element(dtype_of<T>, &scalar_, array.dtype, array.data);
    } else {
      data_ = static_cast<const T*>(array.data);
    }
  }

  LECTERN_HD Pack<T> pack(std::int64_t index) const {
    if (data_ != nullptr) return reinterpret_cast<const Pack<T>*>(data_)[index];
    Pack<T> repeated;
    for (T& value : repeated.value) value = scalar_;
    return repeated;
  }
  LECTERN_HD T element(std::int64_t index) const { return data_ == nullptr ? scalar_ : data_[index]; }

  /// The elements of a pack as numbers: two of 16 bits from a register, without one for each.
  LECTERN_HD Pack<Compute<T>, kPacked<T>> numbers(std::int64_t index) const {
    Pack<Compute<T>, kPacked<T>> numbers;
    if (sizeof(T) == 2 && data_ != nullptr) {
      const RawPack read = read_pack(data_ + index * kPacked<T>);
      for (int i = 0; i < kPacked<T>; ++i) numbers.value[i] = read.number<T>(i);
    } else {
      const Pack<T> read = pack(index);
      for (int i = 0; i < kPacked<T>; ++i) numbers.value[i] = static_cast<Compute<T>>(read.value[i]);
    }
    return numbers;
  }
  LECTERN_HD Compute<T> number(std::int64_t index) const { return static_cast<Compute<T>>(element(index)); }

  /// Whether an operand can be read so.
  static bool takes(const Array& array) {
    return array.is_scalar || (array.dtype == dtype_of<T> && is_aligned(array.data, kPackBytes));
  }

 private:
  const T* data_ = nullptr;
  T scalar_{};
};

}  // namespace lectern::kernels::cuda
