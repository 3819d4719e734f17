#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/elements.h"
#include "kernels/reduce_row.h"
#include "kernels/reduction_geometry.h"

// Inputs of the kernels of kernels/cuda/reduction_kernels.h: row(kept, result) gives the values of a result,
// as kernels/reduce_row.h reads them.

namespace lectern::kernels::cuda {

/// Elements of type T that a thread takes at a time.
template <typename T>
inline constexpr int kRowChunk = kLanes > kPacked<T> ? kLanes : kPacked<T>;

/// A contiguous chunk, aligned to its packs, each element as number(element).
template <typename T, typename Number>
LECTERN_HD void read_packs(const T* from, Compute<T>* values, const Number& number) {
  const auto* const packs = reinterpret_cast<const Pack<T>*>(from);
  for (int p = 0; p < kRowChunk<T> / kPacked<T>; ++p) {
    const Pack<T> pack = packs[p];
    for (int i = 0; i < kPacked<T>; ++i) values[p * kPacked<T> + i] = number(pack.value[i]);
  }
}

/// Elements of type T; those of a result are contiguous and aligned to packs.
template <typename T>
struct RunSource {
  const std::byte* data;

  struct Row {
    using Value = Compute<T>;
    static constexpr int kChunk = kRowChunk<T>;
    static constexpr int kAhead = 4;
    const T* data;

    LECTERN_HD void whole(std::int64_t at, Value* values) const {
      read_packs(data + at, values, [](T element) { return static_cast<Value>(element); });
    }
    LECTERN_HD void chunk(std::int64_t at, std::int64_t end, Value* values) const {
      if (end - at >= kChunk) return whole(at, values);
      for (int i = 0; i < kChunk; ++i) values[i] = static_cast<Value>(data[at + i < end ? at + i : at]);
    }
  };
  LECTERN_HD Row row(const Geometry& kept, std::int64_t result) const {
    return {reinterpret_cast<const T*>(data + element_offsets<1>(kept, result).at[0])};
  }
};

/// A float16 or a bfloat16: which, a kernel is told when it runs.
struct HalfBits {
  std::uint16_t bits;
};

/// Elements of type T, which is that of `dtype` or HalfBits, in any strides.
template <typename T>
struct TypedSource {
  const std::byte* data;
  Geometry reduced;
  bool packed;  ///< each chunk is contiguous and aligned to its packs
  Dtype dtype;

  struct Row {
    using Value = Compute<T>;
    static constexpr int kChunk = kRowChunk<T>;
    const TypedSource& source;
    std::int64_t offset;

    LECTERN_HD void chunk(std::int64_t at, std::int64_t end, Value* values) const {
      if (source.packed && end - at >= kChunk) {
        read_packs(reinterpret_cast<const T*>(source.place(offset, at)), values,
                   [this](T element) { return source.number(element); });
      } else {
        const Pack<T, kChunk> read = source.read(offset, at, end);
        for (int i = 0; i < kChunk; ++i) values[i] = source.number(read.value[i]);
      }
    }
  };
  LECTERN_HD Row row(const Geometry& kept, std::int64_t result) const {
    return {*this, element_offsets<1>(kept, result).at[0]};
  }

 private:
  LECTERN_HD Compute<T> number(T element) const {
    if constexpr (std::is_same_v<T, HalfBits>) {
      return dtype == bfloat16 ? static_cast<float>(BFloat16::from_bits(element.bits))
                               : static_cast<float>(Half::from_bits(element.bits));
    } else {
      return static_cast<Compute<T>>(element);
    }
  }
  LECTERN_HD const std::byte* place(std::int64_t offset, std::int64_t index) const {
    return data + (offset + element_offsets<1>(reduced, index).at[0]);
  }
  LECTERN_HD_CALLED Pack<T, kRowChunk<T>> read(std::int64_t offset, std::int64_t at, std::int64_t end) const {
    Pack<T, kRowChunk<T>> chunk;
    for (int i = 0; i < kRowChunk<T>; ++i) {
      chunk.value[i] = *reinterpret_cast<const T*>(place(offset, at + i < end ? at + i : at));
    }
    return chunk;
  }
};

/// Elements of any dtype.
template <ComputeType C>
struct AnySource {
  const std::byte* data;
  Dtype dtype;
  Geometry reduced;

  struct Row {
    using Value = C;
    const AnySource& source;
    std::int64_t offset;

    LECTERN_HD void steps(std::int64_t at, std::int64_t step, std::int64_t end, C* values) const {
      const std::byte* places[kLanes];
      for (int i = 0; i < kLanes; ++i) {
        const std::int64_t index = at + i * step;
        places[i] =
            source.data + (offset + element_offsets<1>(source.reduced, index < end ? index : at).at[0]);
      }
      dispatch(source.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (int i = 0; i < kLanes; ++i)
          values[i] = convert_number<C>(*reinterpret_cast<const T*>(places[i]));
      });
    }
  };
  LECTERN_HD Row row(const Geometry& kept, std::int64_t result) const {
    return {*this, element_offsets<1>(kept, result).at[0]};
  }
};

/// The states of the parts of each result.
template <typename State>
struct StateSource {
  const State* data;
  std::int64_t result_stride;
  std::int64_t part_stride;

  struct Row {
    using Value = State;
    static constexpr int kChunk = kLanes;
    const State* data;
    std::int64_t stride;

    LECTERN_HD void chunk(std::int64_t at, std::int64_t end, State* values) const {
      steps(at, 1, end, values);
    }
    LECTERN_HD void steps(std::int64_t at, std::int64_t step, std::int64_t end, State* values) const {
      for (int i = 0; i < kLanes; ++i) {
        const std::int64_t index = at + i * step;
        values[i] = data[(index < end ? index : at) * stride];
      }
    }
  };
  LECTERN_HD Row row(const Geometry&, std::int64_t result) const {
    return {data + result * result_stride, part_stride};
  }
};

/// Whether chunks of elements of type T can be read in packs.
template <typename T>
bool is_packed(const ReductionGeometry& geometry, const void* data) {
  const auto aligned = [](const Geometry& part, std::size_t from) {
    for (std::size_t d = from; d < static_cast<std::size_t>(part.rank); ++d) {
      if (part.strides[0][d] % kPackBytes != 0) return false;
    }
    return true;
  };
  const Geometry& reduced = geometry.reduced;
  return is_aligned(data, kPackBytes) && reduced.strides[0][0] == sizeof(T) &&
         (reduced.rank == 1 || reduced.sizes[0] % kRowChunk<T> == 0) && aligned(reduced, 1) &&
         (geometry.kept.numel == 1 || aligned(geometry.kept, 0));
}

}  // namespace lectern::kernels::cuda
