#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"

// launch_phases(Phase{groups, kernel}, …): kernel(block, index) for each of its groups, of several kernels in
// sequence, in one launch: each sees the writes of those before. Apart from kernels/cuda/launch.h, since few
// need it and cooperative_groups.h takes longer to compile than a small file of kernels.

#ifdef __CUDACC__
#include <algorithm>

#include <cooperative_groups.h>

#include "device/cuda.h"

namespace lectern::kernels::cuda {

/// All phases of a launch, as one argument.
template <typename... Kernels>
struct Phases {
  __device__ void run() const {}
};
template <typename First, typename... Rest>
struct Phases<First, Rest...> {
  Phase<First> first;
  Phases<Rest...> rest;

  explicit Phases(const Phase<First>& phase, const Phase<Rest>&... more) : first(phase), rest(more...) {}

  __device__ void run() const {
    for (std::int64_t i = blockIdx.x; i < first.groups; i += gridDim.x) first.kernel(Block(), i);
    cooperative_groups::this_grid().sync();
    rest.run();
  }
};

template <typename AllPhases>
__global__ void __launch_bounds__(kBlockThreads) run_phases(const __grid_constant__ AllPhases phases) {
  phases.run();
}

/// As many blocks as the GPU runs at once, so that they can wait for each other.
template <typename... Kernels>
void launch_phases(const Phase<Kernels>&... phases) {
  const std::int64_t groups = std::max({phases.groups...});
  if (groups == 0) return;
  Phases<Kernels...> all(phases...);
  auto* const kernel = run_phases<Phases<Kernels...>>;
  int blocks_of_processor = 0, processors = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_of_processor, kernel, kBlockThreads, 0) !=
          cudaSuccess ||
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, lectern::cuda::current_device()) !=
          cudaSuccess)
    return;  // the last error is then this one, not that of a launch without blocks
  const auto blocks = std::min(groups, static_cast<std::int64_t>(blocks_of_processor) * processors);
  void* arguments[] = {&all};
  cudaLaunchCooperativeKernel(kernel, static_cast<unsigned>(blocks), kBlockThreads, arguments, 0,
                              lectern::cuda::current_stream_handle());
}

}  // namespace lectern::kernels::cuda

#endif
