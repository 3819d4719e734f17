#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <cooperative_groups.h>

#include "base/host_device.h"
#include "device/stream.h"
#include "kernels/cuda/grid.h"

// Groups and launches as nvcc compiles them.

namespace lectern::kernels::cuda {

/// The 32 threads that the hardware runs in step. They exchange values in registers.
class Warp {
 public:
  __device__ explicit Warp(int rank) : rank_(rank) {}

  LECTERN_HD int rank() const { return rank_; }
  LECTERN_HD static constexpr int size() { return kWarpThreads; }
  LECTERN_HD void sync() const {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }

  template <typename T, typename Merge>
  LECTERN_HD T reduce(T value, Merge merge) const {
    for (int distance = size() / 2; distance > 0; distance /= 2) {
      value = merge(value, from_lane(value, rank_ + distance));
    }
    return from_lane(value, 0);
  }

 private:
  /// What the thread of that rank passes here; beyond the last one it is any value.
  template <typename T>
  LECTERN_HD T from_lane(const T& value, int lane) const {
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr int kWords = (sizeof(T) + 3) / 4;
    std::uint32_t words[kWords] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#ifdef __CUDA_ARCH__
    for (std::uint32_t& word : words) word = __shfl_sync(0xFFFFFFFFU, word, lane & (kWarpThreads - 1));
#endif
    T other = value;
    __builtin_memcpy(&other, words, sizeof(T));
    return other;
  }

  int rank_;
};

/// All threads of a block.
class Block {
 public:
  LECTERN_HD int rank() const {
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x);
#else
    return 0;
#endif
  }
  LECTERN_HD static constexpr int size() {
    return kBlockThreads;
  }
  LECTERN_HD void sync() const {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }

  /// First within the warps, then their results one after the other.
  template <typename T, typename Merge>
  LECTERN_HD T reduce(T value, Merge merge) const {
#ifdef __CUDA_ARCH__
    constexpr int kWarps = kBlockThreads / kWarpThreads;
    __shared__ alignas(T) char storage[kWarps * sizeof(T)];
    T* const partial = reinterpret_cast<T*>(storage);
    value = Warp(rank() % kWarpThreads).reduce(value, merge);
    if (rank() % kWarpThreads == 0) partial[rank() / kWarpThreads] = value;
    __syncthreads();
    value = partial[0];
    for (int warp = 1; warp < kWarps; ++warp) value = merge(value, partial[warp]);
    __syncthreads();
#endif
    return value;
  }
};

template <typename Kernel>
__global__ void __launch_bounds__(1024) run_threads(const __grid_constant__ Kernel kernel) {
  kernel(static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
         static_cast<std::int64_t>(gridDim.x) * blockDim.x);
}

template <typename Group, typename Kernel>
__global__ void __launch_bounds__(kBlockThreads)
    run_groups(const __grid_constant__ Kernel kernel, std::int64_t groups) {
  if constexpr (std::is_same_v<Group, Block>) {
    for (std::int64_t i = blockIdx.x; i < groups; i += gridDim.x) kernel(Block(), i);
  } else {
    const Warp warp(static_cast<int>(threadIdx.x) % kWarpThreads);
    const std::int64_t first =
        (static_cast<std::int64_t>(blockIdx.x) * kBlockThreads + threadIdx.x) / kWarpThreads;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kBlockThreads / kWarpThreads;
    for (std::int64_t i = first; i < groups; i += step) kernel(warp, i);
  }
}

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

template <typename Kernel>
void launch_threads(std::int64_t blocks, int threads_per_block, const Kernel& kernel) {
  if (blocks == 0) return;
  run_threads<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads_per_block), 0,
                lectern::cuda::current_stream().handle()>>>(kernel);
}

template <typename Group, typename Kernel>
void launch_groups(std::int64_t groups, const Kernel& kernel) {
  if (groups == 0) return;
  const std::int64_t blocks = blocks_for(groups * Group::size());
  run_groups<Group>
      <<<static_cast<unsigned>(blocks), kBlockThreads, 0, lectern::cuda::current_stream().handle()>>>(kernel,
                                                                                                      groups);
}

/// As many blocks as the GPU runs at once, so that they can wait for each other.
template <typename... Kernels>
void launch_phases(const Phase<Kernels>&... phases) {
  const std::int64_t groups = std::max({phases.groups...});
  if (groups == 0) return;
  Phases<Kernels...> all(phases...);
  auto* const kernel = run_phases<Phases<Kernels...>>;
  int blocks_of_processor = 0, processors = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_of_processor, kernel, kBlockThreads, 0);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, lectern::cuda::current_device());
  const auto blocks = std::min(groups, static_cast<std::int64_t>(blocks_of_processor) * processors);
  void* arguments[] = {&all};
  cudaLaunchCooperativeKernel(kernel, static_cast<unsigned>(blocks), kBlockThreads, arguments, 0,
                              lectern::cuda::current_stream().handle());
}

}  // namespace lectern::kernels::cuda
