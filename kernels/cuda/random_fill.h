#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/cuda/current_gpu.h"
#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/geometry.h"
#include "kernels/index_parts.h"
#include "kernels/philox.h"
#include "kernels/random.h"

namespace lectern::kernels::cuda {

/// A draw for each element, in walk order.
template <typename Distribution>
struct FillKernel {
  PhiloxFill<Distribution> fill;
  std::byte* out;
  Dtype dtype;
  Geometry geometry;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    fill(static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(threads),
         [&](std::uint32_t index, auto value) {
           store(out + element_offsets<1>(geometry, index).at[0], dtype, value);
         });
  }
};

/// The same of contiguous elements of type T.
template <typename Distribution, typename T>
struct ContiguousFillKernel {
  PhiloxFill<Distribution> fill;
  T* out;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    fill(static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(threads),
         [&](std::uint32_t index, auto value) { out[index] = convert_number<T>(value); });
  }
};

/// The type of a distribution's values.
template <typename Distribution>
using Drawn =
    std::remove_reference_t<decltype(std::declval<Distribution>()(std::declval<PhiloxWords>()).value[0])>;

/// Calls visit(std::type_identity<T>{}) and returns true if there is a ContiguousFillKernel for the dtype: of
/// the values themselves or, if those are floats, of 16-bit floats.
template <typename Distribution, typename Visit>
bool visit_filled_type(Dtype dtype, const Visit& visit) {
  using Value = Drawn<Distribution>;
  if (dtype == dtype_of<Value>) return visit(std::type_identity<Value>{}), true;
  if constexpr (std::is_same_v<Value, float>) {
    if (dtype == bfloat16) return visit(std::type_identity<BFloat16>{}), true;
    if (dtype == float16) return visit(std::type_identity<Half>{}), true;
  }
  return false;
}

/// The blocks that fill so many elements on the current device.
inline std::int64_t blocks_to_fill(std::int64_t count) {
  const lectern::cuda::DeviceProperties& device = current_gpu();
  return philox_blocks(count, device.multi_processor_count, device.max_threads_per_multi_processor);
}

/// Fills elements that are indexable in 32 bits.
template <typename Distribution>
void fill_part(const Geometry& geometry, std::byte* out, Dtype dtype, const Distribution& distribution,
               const PhiloxState& state) {
  const std::int64_t blocks = blocks_to_fill(geometry.numel);
  const bool contiguous = geometry.rank == 1 && geometry.strides[0][0] == element_size(dtype);
  const PhiloxFill<Distribution> fill(distribution, state, geometry.numel);
  const auto launch_contiguous = [&]<typename T>(std::type_identity<T>) {
    launch_threads(blocks, kPhiloxBlock,
                   ContiguousFillKernel<Distribution, T>{fill, reinterpret_cast<T*>(out)});
  };
  if (contiguous && visit_filled_type<Distribution>(dtype, launch_contiguous)) return;
  launch_threads(blocks, kPhiloxBlock, FillKernel<Distribution>{fill, out, dtype, geometry});
}

/// Fills the array and advances the state.
template <typename Distribution>
void fill(const RandomArray& array, const Distribution& distribution, PhiloxState& state) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  const ArrayStrides strides{array.strides.data(), element_size(array.dtype)};
  const Geometry geometry = make_geometry(array.sizes, {&strides, 1});
  if (geometry.numel == 0) return;
  const auto increment = [](std::int64_t count) {
    return philox_increment(count, blocks_to_fill(count), Distribution::kValues);
  };
  // PyTorch takes words for the whole before it checks whether to split it.
  if (!is_indexable(geometry, kLimit)) state.offset += increment(geometry.numel);
  visit_indexable(geometry, kLimit, [&](const Geometry& part, std::int64_t offset) {
    fill_part(part, static_cast<std::byte*>(array.data) + offset, array.dtype, distribution, state);
    state.offset += increment(part.numel);
  });
}

}  // namespace lectern::kernels::cuda
