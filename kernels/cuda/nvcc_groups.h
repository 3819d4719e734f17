#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "kernels/cuda/grid.h"
#include "kernels/vectorize.h"

// Groups of threads as nvcc and NVRTC compile them; see kernels/cuda/launch.h.

namespace lectern::kernels::cuda {

/// 32 threads in lockstep. They exchange values in registers.
class Warp {
 public:
  LECTERN_HD explicit Warp(int rank) : rank_(rank) {}

  LECTERN_HD int rank() const { return rank_; }
  LECTERN_HD static constexpr int size() { return kWarpThreads; }
  LECTERN_HD void sync() const {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }

  template <typename T, typename Merge>
  LECTERN_HD T reduce(T value, Merge merge) const {
#ifdef __CUDA_ARCH__
#pragma unroll(sizeof(T) <= 8 ? 5 : 1)  // large values have long merges
#endif
    for (int distance = size() / 2; distance > 0; distance /= 2) {
      value = merge(value, from_lane(value, rank_ + distance));
    }
    return from_lane(value, 0);
  }

  /// `start` changes nothing that it is merged with.
  template <typename T, typename Merge>
  LECTERN_HD Scanned<T> scan(T value, const T& start, Merge merge) const {
    LECTERN_UNROLLED
    for (int distance = 1; distance < size(); distance *= 2) {
      const T before = from_lane(value, rank_ - distance);
      if (rank_ >= distance) value = merge(before, value);
    }
    const T before = from_lane(value, rank_ - 1);
    return {rank_ > 0 ? before : start, from_lane(value, size() - 1)};
  }

 private:
  /// The value passed by the thread of that rank; unspecified past the last one.
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

/// All threads of a block of kThreads.
template <int kThreads>
class BlockOf {
 public:
  LECTERN_HD int rank() const {
#ifdef __CUDA_ARCH__
    return static_cast<int>(threadIdx.x);
#else
    return 0;
#endif
  }
  LECTERN_HD static constexpr int size() {
    return kThreads;
  }
  LECTERN_HD void sync() const {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }

  template <typename T>
  LECTERN_HD T& shared() const {
#ifdef __CUDA_ARCH__
    __shared__ T memory;
#else
    static T memory;
#endif
    return memory;
  }

  /// First within the warps, then their results in sequence.
  template <typename T, typename Merge>
  LECTERN_HD T reduce(T value, Merge merge) const {
    return reduce_warps(Warp(rank() % kWarpThreads).reduce(value, merge), merge);
  }

  /// Within the warps, then their results in sequence.
  template <typename T, typename Merge>
  LECTERN_HD Scanned<T> scan(T value, const T& start, Merge merge) const {
    Scanned<T> scanned = Warp(rank() % kWarpThreads).scan(value, start, merge);
#ifdef __CUDA_ARCH__
    constexpr int kWarps = kThreads / kWarpThreads;
    __shared__ alignas(T) char storage[kWarps * sizeof(T)];
    T* const of_warps = reinterpret_cast<T*>(storage);
    if (rank() % kWarpThreads == 0) of_warps[rank() / kWarpThreads] = scanned.all;
    __syncthreads();
    T all = start, before = start;
#pragma unroll(sizeof(T) <= 8 ? kWarps : 1)
    for (int warp = 0; warp < kWarps; ++warp) {
      if (warp == rank() / kWarpThreads) before = all;
      all = merge(all, of_warps[warp]);
    }
    __syncthreads();
    scanned = {merge(before, scanned.before), all};
#endif
    return scanned;
  }

  /// Reduces the warps' results.
  template <typename T, typename Merge>
  LECTERN_HD T reduce_warps(T value, Merge merge) const {
#ifdef __CUDA_ARCH__
    constexpr int kWarps = kThreads / kWarpThreads;
    __shared__ alignas(T) char storage[kWarps * sizeof(T)];
    T* const partial = reinterpret_cast<T*>(storage);
    if (rank() % kWarpThreads == 0) partial[rank() / kWarpThreads] = value;
    __syncthreads();
    value = partial[0];
#pragma unroll(sizeof(T) <= 8 ? kWarps : 1)  // so that small values are all read before the first merge
    for (int warp = 1; warp < kWarps; ++warp) value = merge(value, partial[warp]);
    __syncthreads();
#endif
    return value;
  }
};

using Block = BlockOf<kBlockThreads>;

/// A warp or a block, chosen at run time: one kernel serves both.
class Team {
 public:
  LECTERN_HD explicit Team(bool is_block) : is_block_(is_block) {}

  LECTERN_HD int rank() const { return is_block_ ? Block().rank() : Block().rank() % kWarpThreads; }
  LECTERN_HD int size() const { return is_block_ ? Block::size() : Warp::size(); }
  LECTERN_HD void sync() const { is_block_ ? Block().sync() : Warp(rank()).sync(); }

  template <typename T, typename Merge>
  LECTERN_HD T reduce(T value, Merge merge) const {
    value = Warp(Block().rank() % kWarpThreads).reduce(value, merge);
    return is_block_ ? Block().reduce_warps(value, merge) : value;
  }

 private:
  bool is_block_;
};

#ifdef __CUDACC__
/// kernel(group, index) for all groups, in a kernel of blocks of kThreads threads, or of kBlockThreads if the
/// groups are warps.
template <int kThreads, typename Kernel>
__device__ void for_groups(const Kernel& kernel, std::int64_t groups) {
  if constexpr (kThreads == kWarpThreads) {
    constexpr int kWarps = kBlockThreads / kWarpThreads;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / kWarpThreads;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kWarps;
    for (std::int64_t i = first; i < groups; i += step)
      kernel(Warp(static_cast<int>(threadIdx.x) % kWarpThreads), i);
  } else {
    for (std::int64_t i = blockIdx.x; i < groups; i += gridDim.x) kernel(BlockOf<kThreads>(), i);
  }
}
#endif

}  // namespace lectern::kernels::cuda
