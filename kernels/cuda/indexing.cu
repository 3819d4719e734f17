#include <cstddef>
#include <limits>
#include <type_traits>

#include "device/index_fault.h"
#include "kernels/accumulator.h"
#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/words.h"
#include "kernels/geometry.h"
#include "kernels/indexing.h"
#include "kernels/sort.h"

namespace lectern::kernels::cuda {
namespace {

std::byte* bytes(const Array& array) {
  return static_cast<std::byte*>(array.data);
}

/// Writes a flag that the host reads while kernels run, after all earlier writes.
LECTERN_HD void publish(std::int64_t* flag, std::int64_t value) {
#ifdef __CUDA_ARCH__
  __threadfence_system();
  *static_cast<volatile std::int64_t*>(flag) = value;
#else
  __atomic_store_n(flag, value, __ATOMIC_RELEASE);
#endif
}

struct WatchKernel {
  RowMajor elements;
  const std::int64_t* index;
  std::int64_t low, high;
  lectern::cuda::IndexFault* fault;
  const char* operation;
  std::size_t operation_length;
  std::int64_t launch;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < elements.numel(); i += threads) {
      const std::int64_t value = index[elements.offset(i)];
      if (value >= low && value < high) continue;
      fault->operation = operation;
      fault->operation_length = operation_length;
      fault->index = value;
      fault->size = high;
      publish(&fault->launch, launch);
    }
  }
};

/// Moves words: elements or, where one index is for several neighbours, those.
template <typename Word>
struct TakeKernel {
  std::byte* out;
  const std::byte* in;
  const std::byte* index;
  std::int64_t numel;
  OffsetCalculator<3> offsets;
  IndexedDim dim;
  std::int64_t element_size;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < numel; i += threads) {
      const auto at = offsets(static_cast<std::uint32_t>(i));
      const std::int64_t further =
          index_offset(dim, *reinterpret_cast<const std::int64_t*>(index + at.at[2])) * element_size;
      *reinterpret_cast<Word*>(out + at.at[0]) = *reinterpret_cast<const Word*>(in + at.at[1] + further);
    }
  }
};

/// Takes a part (for_each_part).
void take_part(const Geometry& elements, std::int64_t size, std::byte* out, const std::byte* in,
               const std::byte* index, const IndexedDim& dim) {
  std::int64_t bytes = elements.strides[2][0] == 0 ? word_size(elements, size, out, in) : size;
  while (dim.stride * size % bytes != 0) bytes /= 2;
  const Geometry part = in_words(elements, size, bytes);
  dispatch_wide_word(bytes, [&]<typename Word>(std::type_identity<Word>) {
    launch_for(part.numel,
               TakeKernel<Word>{out, in, index, part.numel, OffsetCalculator<3>(part), dim, size});
  });
}

struct SetOffsetsKernel {
  RowMajor elements;
  std::int64_t* offsets;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < elements.numel(); i += threads) offsets[i] = elements.offset(i);
  }
};

struct AddOffsetsKernel {
  RowMajor elements;
  const std::int64_t* index;
  IndexedDim dim;
  std::int64_t* offsets;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < elements.numel(); i += threads) {
      offsets[i] += index_offset(dim, index[elements.offset(i)]);
    }
  }
};

/// Shared by both writing kernels; a thread has one element of one destination.
struct Segments {
  std::byte* target;
  const std::byte* values;
  Geometry geometry;
  std::int64_t value_step;  ///< in bytes
  Destinations destinations;

  LECTERN_HD std::int64_t numel() const { return destinations.count * geometry.numel; }

  /// Calls visit(element of the target, that of the values at place 0, first place, number of places) unless
  /// it belongs to the thread of another destination.
  template <typename T, typename Visit>
  LECTERN_HD void visit_element(std::int64_t index, const Visit& visit) const {
    const std::int64_t first = index / geometry.numel;
    const std::uint64_t* const offsets = destinations.offsets;
    const std::uint64_t offset = offsets[first];
    if (first > 0 && offsets[first - 1] == offset) return;
    std::int64_t last = first + 1;
    while (last < destinations.count && offsets[last] == offset) ++last;
    const auto [at] = element_offsets<2>(geometry, index % geometry.numel);
    visit(reinterpret_cast<T*>(target + at[0])[offset], values + at[1], destinations.places + first,
          last - first);
  }
};

template <typename Word>
struct PutKernel {
  Segments segments;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < segments.numel(); i += threads) {
      segments.visit_element<Word>(
          i, [&](Word& element, const std::byte* values, const std::int64_t* places, std::int64_t count) {
            element = *reinterpret_cast<const Word*>(values + places[count - 1] * segments.value_step);
          });
    }
  }
};

template <typename T>
struct AccumulateKernel {
  Segments segments;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < segments.numel(); i += threads) {
      segments.visit_element<T>(
          i, [&](T& element, const std::byte* values, const std::int64_t* places, std::int64_t count) {
            Accumulator<T> sum(element);
            for (std::int64_t k = 0; k < count; ++k) {
              sum.add(*reinterpret_cast<const T*>(values + places[k] * segments.value_step));
            }
            element = sum.value();
          });
    }
  }
};

/// The same where the elements are contiguous in both arrays: a thread has a pack of neighbours of one
/// destination, and several values at a time under way.
template <typename T>
struct AccumulateRowsKernel {
  static constexpr int kAtOnce = 8;

  T* target;
  const std::byte* values;
  Divider packs;  ///< of a destination
  std::int64_t value_step;
  Destinations destinations;

  std::int64_t numel() const { return destinations.count * packs.divisor(); }

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t all = destinations.count * packs.divisor();
    for (std::int64_t i = thread; i < all; i += threads) {
      const std::uint32_t first = packs.quotient(static_cast<std::uint32_t>(i));
      const std::int64_t pack = i - std::int64_t{first} * packs.divisor();
      const std::uint64_t offset = destinations.offsets[first];
      if (first > 0 && destinations.offsets[first - 1] == offset) continue;
      T* const to = target + offset + pack * kPacked<T>;
      const bool whole = reinterpret_cast<std::uintptr_t>(to) % kPackBytes == 0;
      Accumulator<T> sums[kPacked<T>];
      if (whole) {
        const Pack<T> start = *reinterpret_cast<const Pack<T>*>(to);
        for (int j = 0; j < kPacked<T>; ++j) sums[j] = Accumulator<T>(start.value[j]);
      } else {
        for (int j = 0; j < kPacked<T>; ++j) sums[j] = Accumulator<T>(to[j]);
      }
      add_values(first, offset, values + pack * kPackBytes, sums);
      Pack<T> result;
      for (int j = 0; j < kPacked<T>; ++j) result.value[j] = sums[j].value();
      if (whole) {
        *reinterpret_cast<Pack<T>*>(to) = result;
      } else {
        for (int j = 0; j < kPacked<T>; ++j) to[j] = result.value[j];
      }
    }
  }

 private:
  /// Those of one destination, from place `first` on.
  LECTERN_HD void add_values(std::int64_t first, std::uint64_t offset, const std::byte* from,
                             Accumulator<T>* sums) const {
    bool more = true;
    for (std::int64_t k = first; more; k += kAtOnce) {
      Pack<T> terms[kAtOnce];
      bool has[kAtOnce];
      for (int j = 0; j < kAtOnce; ++j) {
        has[j] = k + j < destinations.count && destinations.offsets[k + j] == offset;
        if (has[j])
          terms[j] = *reinterpret_cast<const Pack<T>*>(from + destinations.places[k + j] * value_step);
      }
      for (int j = 0; j < kAtOnce; ++j) {
        if (!has[j]) continue;
        for (int e = 0; e < kPacked<T>; ++e) sums[e].add(terms[j].value[e]);
      }
      more = has[kAtOnce - 1];
    }
  }
};

/// Launches it if the arrays and the counts allow it; returns whether.
bool accumulate_rows(const Segments& segments, const Array& target) {
  const Geometry& geometry = segments.geometry;
  const std::int64_t size = element_size(target.dtype);
  const std::int64_t packs = geometry.numel * size / kPackBytes;
  const bool dense = geometry.rank == 1 && geometry.strides[0][0] == size && geometry.strides[1][0] == size &&
                     geometry.numel * size % kPackBytes == 0 && segments.value_step % kPackBytes == 0 &&
                     is_aligned(segments.values, kPackBytes);
  if (!dense || packs == 0 || packs * segments.destinations.count > std::numeric_limits<std::int32_t>::max())
    return false;
  return visit_packed_type(target.dtype, [&]<typename T>(std::type_identity<T>) {
    const AccumulateRowsKernel<T> kernel{reinterpret_cast<T*>(segments.target), segments.values,
                                         Divider(packs), segments.value_step, segments.destinations};
    launch_for(kernel.numel(), kernel);
    return true;
  });
}

/// Sorted, so that values for the same elements are adjacent.
Segments sort_segments(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
                       std::int64_t value_stride, const Destinations& destinations) {
  sort_rows(1, destinations.count, destinations.bits, destinations.offsets, destinations.places);
  return {bytes(target), bytes(values), make_geometry(sizes, target, values),
          value_stride * element_size(values.dtype), destinations};
}

}  // namespace

std::optional<std::int64_t> find_outside(std::string_view operation, std::span<const std::int64_t> sizes,
                                         const Array& index, std::int64_t low, std::int64_t high) {
  const RowMajor elements(sizes, index.strides);
  launch_for(elements.numel(), WatchKernel{elements, static_cast<const std::int64_t*>(index.data), low, high,
                                           &lectern::cuda::index_fault(), operation.data(), operation.size(),
                                           lectern::cuda::next_watched_launch()});
  return std::nullopt;
}

void take(std::span<const std::int64_t> sizes, const Array& out, const Array& in, const Array& index,
          const IndexedDim& dim) {
  const std::int64_t size = element_size(out.dtype);
  const Geometry geometry = make_geometry(sizes, out, in, index);
  if (geometry.numel == 0) return;
  for_each_part(geometry, [&](const Geometry& part, const auto& offsets) {
    take_part(part, size, bytes(out) + offsets[0], bytes(in) + offsets[1], bytes(index) + offsets[2], dim);
  });
}

void set_offsets(std::span<const std::int64_t> sizes, const std::int64_t* strides, std::int64_t* offsets) {
  const RowMajor elements(sizes, strides);
  launch_for(elements.numel(), SetOffsetsKernel{elements, offsets});
}

void add_offsets(std::span<const std::int64_t> sizes, std::int64_t* offsets, const Array& index,
                 const IndexedDim& dim) {
  const RowMajor elements(sizes, index.strides);
  launch_for(elements.numel(),
             AddOffsetsKernel{elements, static_cast<const std::int64_t*>(index.data), dim, offsets});
}

void put(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
         std::int64_t value_stride, const Destinations& destinations) {
  const Segments segments = sort_segments(sizes, target, values, value_stride, destinations);
  dispatch_word(element_size(target.dtype), [&]<typename Word>(std::type_identity<Word>) {
    launch_for(segments.numel(), PutKernel<Word>{segments});
  });
}

void accumulate(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
                std::int64_t value_stride, const Destinations& destinations) {
  const Segments segments = sort_segments(sizes, target, values, value_stride, destinations);
  if (accumulate_rows(segments, target)) return;
  dispatch(target.dtype, [&](auto tag) {
    launch_for(segments.numel(), AccumulateKernel<typename decltype(tag)::type>{segments});
  });
}

}  // namespace lectern::kernels::cuda
