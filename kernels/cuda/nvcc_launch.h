#pragma once

#include <cstdint>

#include "device/stream_handle.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/nvcc_groups.h"

// Launches as nvcc compiles them.

namespace lectern::kernels::cuda {

template <typename Kernel>
__global__ void __launch_bounds__(1024) run_threads(const __grid_constant__ Kernel kernel) {
  kernel(static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x,
         static_cast<std::int64_t>(gridDim.x) * blockDim.x);
}

template <int kThreads, typename Kernel>
__global__ void __launch_bounds__(threads_of_block(kThreads))
    run_groups(const __grid_constant__ Kernel kernel, std::int64_t groups) {
  for_groups<kThreads>(kernel, groups);
}

template <typename Kernel>
__global__ void __launch_bounds__(kBlockThreads)
    run_teams(const __grid_constant__ Kernel kernel, std::int64_t teams, bool by_blocks) {
  const Team team(by_blocks);
  const int teams_per_block = kBlockThreads / team.size();
  const std::int64_t first =
      static_cast<std::int64_t>(blockIdx.x) * teams_per_block + (by_blocks ? 0 : threadIdx.x / kWarpThreads);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * teams_per_block;
  for (std::int64_t i = first; i < teams; i += step) kernel(team, i);
}

template <typename Kernel>
void launch_threads(std::int64_t blocks, int threads_per_block, const Kernel& kernel) {
  if (blocks == 0) return;
  run_threads<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads_per_block), 0,
                lectern::cuda::current_stream_handle()>>>(kernel);
}

template <int kThreads, typename Kernel>
void launch_groups(std::int64_t groups, const Kernel& kernel) {
  if (groups == 0) return;
  constexpr int kBlock = threads_of_block(kThreads);
  const std::int64_t blocks = blocks_for(groups, kBlock / kThreads);
  run_groups<kThreads>
      <<<static_cast<unsigned>(blocks), kBlock, 0, lectern::cuda::current_stream_handle()>>>(kernel, groups);
}

template <typename Kernel>
void launch_blocks(std::int64_t blocks, const Kernel& kernel) {
  launch_groups<kBlockThreads>(blocks, kernel);
}

template <typename Kernel>
void launch_teams(std::int64_t teams, std::int64_t length, const Kernel& kernel) {
  if (teams == 0) return;
  const bool by_blocks = length > kWarpRow;
  const std::int64_t blocks = blocks_for(teams * (by_blocks ? kBlockThreads : kWarpThreads));
  run_teams<<<static_cast<unsigned>(blocks), kBlockThreads, 0, lectern::cuda::current_stream_handle()>>>(
      kernel, teams, by_blocks);
}

}  // namespace lectern::kernels::cuda
