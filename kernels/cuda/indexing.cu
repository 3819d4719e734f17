#include <cstddef>
#include <type_traits>

#include "device/index_fault.h"
#include "kernels/accumulator.h"
#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/geometry.h"
#include "kernels/indexing.h"
#include "kernels/sort.h"

namespace lectern::kernels::cuda {
namespace {

std::byte* bytes(const Array& array) {
  return static_cast<std::byte*>(array.data);
}

/// Writes a flag that the host reads while kernels run, after all earlier writes.
LECTERN_HD void publish(std::int32_t* flag, std::int32_t value) {
#ifdef __CUDA_ARCH__
  __threadfence_system();
  *static_cast<volatile std::int32_t*>(flag) = value;
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

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < elements.numel(); i += threads) {
      const std::int64_t value = index[elements.offset(i)];
      if (value >= low && value < high) continue;
      fault->operation = operation;
      fault->operation_length = operation_length;
      fault->index = value;
      fault->size = high;
      publish(&fault->found, 1);
    }
  }
};

/// `Word` is an integer of the size of an element.
template <typename Word>
struct TakeKernel {
  std::byte* out;
  const std::byte* in;
  const std::byte* index;
  Geometry geometry;
  IndexedDim dim;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < geometry.numel; i += threads) {
      const auto [at] = element_offsets<3>(geometry, i);
      const std::int64_t further = index_offset(dim, *reinterpret_cast<const std::int64_t*>(index + at[2]));
      *reinterpret_cast<Word*>(out + at[0]) = reinterpret_cast<const Word*>(in + at[1])[further];
    }
  }
};

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

/// Sorted, so that values for the same elements are adjacent.
Segments sort_segments(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
                       std::int64_t value_stride, const Destinations& destinations) {
  sort_rows(1, destinations.count, destinations.offsets, destinations.places);
  return {bytes(target), bytes(values), make_geometry(sizes, target, values),
          value_stride * element_size(values.dtype), destinations};
}

}  // namespace

std::optional<std::int64_t> find_outside(std::string_view operation, std::span<const std::int64_t> sizes,
                                         const Array& index, std::int64_t low, std::int64_t high) {
  const RowMajor elements(sizes, index.strides);
  launch_for(elements.numel(),
             WatchKernel{elements, static_cast<const std::int64_t*>(index.data), low, high,
                         &lectern::cuda::index_fault(), operation.data(), operation.size()});
  return std::nullopt;
}

void take(std::span<const std::int64_t> sizes, const Array& out, const Array& in, const Array& index,
          const IndexedDim& dim) {
  const std::int64_t size = element_size(out.dtype);
  const Geometry geometry = make_geometry(sizes, out, in, index);
  dispatch_word(size, [&]<typename Word>(std::type_identity<Word>) {
    launch_for(geometry.numel, TakeKernel<Word>{bytes(out), bytes(in), bytes(index), geometry, dim});
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
  dispatch(target.dtype, [&](auto tag) {
    launch_for(segments.numel(), AccumulateKernel<typename decltype(tag)::type>{segments});
  });
}

}  // namespace lectern::kernels::cuda
