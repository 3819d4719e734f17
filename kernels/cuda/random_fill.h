#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/cuda.h"
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
  Distribution distribution;
  PhiloxState state;
  std::byte* out;
  Dtype dtype;
  Geometry geometry;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    philox_thread(distribution, state, geometry.numel, thread, threads, [&](std::int64_t index, auto value) {
      store(out + element_offsets<1>(geometry, index).at[0], dtype, value);
    });
  }
};

/// The blocks that fill so many elements on the current device.
inline std::int64_t blocks_to_fill(std::int64_t count) {
  static const std::vector<lectern::cuda::DeviceProperties> devices = [] {
    std::vector<lectern::cuda::DeviceProperties> all;
    for (int i = 0; i < lectern::cuda::device_count(); ++i) {
      all.push_back(lectern::cuda::get_device_properties(i));
    }
    return all;
  }();
  const auto& device = devices[static_cast<std::size_t>(lectern::cuda::current_device())];
  return philox_blocks(count, device.multi_processor_count, device.max_threads_per_multi_processor);
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
    launch_threads(blocks_to_fill(part.numel), kPhiloxBlock,
                   FillKernel<Distribution>{distribution, state, static_cast<std::byte*>(array.data) + offset,
                                            array.dtype, part});
    state.offset += increment(part.numel);
  });
}

}  // namespace lectern::kernels::cuda
