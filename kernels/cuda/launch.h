#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "kernels/cuda/grid.h"

// The ways to launch GPU work. A kernel is a plain struct of its arguments with a call operator:
//
//   launch_threads(blocks, threads_per_block, kernel)
//     kernel(thread, threads) in each of them, independently
//   launch_blocks(blocks, kernel)
//     kernel(block, index) in the threads of each block, which cooperate
//   launch_groups<threads>(groups, kernel)
//     the same with 32 threads, a warp, or a block of another size than the default
//   launch_teams(teams, length, kernel)
//     the same for teams of threads: each a warp, or a block if it has much to do (kWarpRow)
//
// Such a group has rank() (of the calling thread), size(), sync() (a barrier, after which all see earlier
// writes) and reduce(value, merge) (of all values, in a fixed order, for every thread); warps and blocks have
// scan(value, start, merge), too (of the values of the threads before, and of all). A call of sync, reduce or
// scan is reached by all threads of a group or by none. A block also has
//
//   shared<T>()  a T in its shared memory, the same one at every call, which begins with any value; T is
//                trivial, and of at most 48 KB with what else is there
//
// Work goes to the current stream of the current device. A backend other than CUDA (LecternCuda.cmake)
// provides a header with the same functions, for which the host compiler builds the kernels.

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
