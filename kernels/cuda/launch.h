#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "kernels/cuda/grid.h"

// The ways to give work to a GPU. A kernel is a plain struct of its arguments with a call operator:
//
//   launch_threads(blocks, threads_per_block, kernel)
//     kernel(thread, threads) in each of them, independently
//   launch_blocks(blocks, kernel)
//     kernel(block, index) in the threads of each block, which work together
//   launch_teams(teams, length, kernel)
//     the same of teams of threads: each is a warp, or a block where there is much for it to do (kWarpRow)
//
// Such a group has rank() (of the calling thread), size(), sync() (nobody goes on before all are there, and
// all sees what was written before) and reduce(value, merge) (all values together, in an order that is always
// the same, for every thread). Whatever calls sync or reduce is reached by all threads of a group or by none.
//
// The work goes to the current stream of the current device. A backend that is not CUDA's (LecternCuda.cmake)
// brings a header with the same functions, for which the host's compiler takes the kernels.

#ifdef LECTERN_LAUNCH_HEADER
#include LECTERN_LAUNCH_HEADER
#else
#include "kernels/cuda/nvcc_launch.h"
#endif

namespace lectern::kernels::cuda {

/// kernel(thread, threads) with a thread for each of `items`, or fewer that stride.
template <typename Kernel>
void launch_for(std::int64_t items, const Kernel& kernel) {
  launch_threads(blocks_for(items), kBlockThreads, kernel);
}

}  // namespace lectern::kernels::cuda
