#pragma once

#include <cstdint>
#include <limits>

// How work is divided among the threads of a GPU.

namespace lectern::kernels::cuda {

inline constexpr int kWarpThreads = 32;

/// Default threads per block.
inline constexpr int kBlockThreads = 256;

/// Threads of the blocks that have groups of so many: a group each, unless they are warps.
constexpr int threads_of_block(int group_threads) {
  return group_threads == kWarpThreads ? kBlockThreads : group_threads;
}

/// Enough blocks, of this many items each; never more than a launch can have.
constexpr std::int64_t blocks_for(std::int64_t items, int items_per_block = kBlockThreads) {
  const std::int64_t blocks = (items + items_per_block - 1) / items_per_block;
  return blocks < std::numeric_limits<std::int32_t>::max() ? blocks
                                                           : std::numeric_limits<std::int32_t>::max();
}

/// Rows up to this long go to a warp each, longer ones to a block.
inline constexpr std::int64_t kWarpRow = 1024;

/// What a group's scan() gives: the values of the threads before one, merged, and of all.
template <typename T>
struct Scanned {
  T before, all;
};

/// One of the kernels of launch_phases().
template <typename Kernel>
struct Phase {
  std::int64_t groups;
  Kernel kernel;
};
template <typename Kernel>
Phase(std::int64_t, Kernel) -> Phase<Kernel>;

}  // namespace lectern::kernels::cuda
