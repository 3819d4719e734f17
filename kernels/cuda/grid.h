#pragma once

#include <cstdint>
#include <limits>

// How work is divided among the threads of a GPU.

namespace lectern::kernels::cuda {

inline constexpr int kWarpThreads = 32;

/// Default threads per block.
inline constexpr int kBlockThreads = 256;

/// Enough blocks for a thread per item; never more than a launch can have.
constexpr std::int64_t blocks_for(std::int64_t items) {
  const std::int64_t blocks = (items + kBlockThreads - 1) / kBlockThreads;
  return blocks < std::numeric_limits<std::int32_t>::max() ? blocks
                                                           : std::numeric_limits<std::int32_t>::max();
}

/// Rows up to this long go to a warp each, longer ones to a block.
inline constexpr std::int64_t kWarpRow = 1024;

/// One of the kernels of launch_phases().
template <typename Kernel>
struct Phase {
  std::int64_t groups;
  Kernel kernel;
};
template <typename Kernel>
Phase(std::int64_t, Kernel) -> Phase<Kernel>;

}  // namespace lectern::kernels::cuda
