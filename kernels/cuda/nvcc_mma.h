#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/host_device.h"
#include "base/small_float.h"
#include "device/cuda.h"
#include "device/stream_handle.h"
#include "kernels/cuda/launch.h"

// What kernels/cuda/mma.h describes, as nvcc compiles it. Only mma is a function of its operands; everything
// that touches shared memory stays where it is written.

#ifdef __CUDA_ARCH__
#define LECTERN_PTX(...) asm(__VA_ARGS__)
#define LECTERN_PTX_IN_ORDER(...) asm volatile(__VA_ARGS__)
#else
#define LECTERN_PTX(...)
#define LECTERN_PTX_IN_ORDER(...)
#endif

namespace lectern::kernels::cuda {

using SharedAddress = std::uint32_t;

/// Four registers of a lane.
struct Words {
  std::uint32_t at[4];
};

template <int kThreads>
class TileBlock : public BlockOf<kThreads> {
 public:
  LECTERN_HD SharedAddress shared() const {
#ifdef __CUDA_ARCH__
    extern __shared__ __align__(1024) unsigned char tile_memory[];
    return static_cast<SharedAddress>(__cvta_generic_to_shared(tile_memory));
#else
    return 0;
#endif
  }
};

#define LECTERN_LDMATRIX(transposed)                                                                    \
  LECTERN_PTX_IN_ORDER("ldmatrix.sync.aligned.m8n8.x4" transposed ".shared.b16 {%0, %1, %2, %3}, [%4];" \
                       : "=r"(words.at[0]), "=r"(words.at[1]), "=r"(words.at[2]), "=r"(words.at[3])     \
                       : "r"(row)                                                                       \
                       : "memory")

LECTERN_HD Words load_matrices([[maybe_unused]] SharedAddress row) {
  Words words{};
  LECTERN_LDMATRIX("");
  return words;
}

LECTERN_HD Words load_transposed_matrices([[maybe_unused]] SharedAddress row) {
  Words words{};
  LECTERN_LDMATRIX(".trans");
  return words;
}

#undef LECTERN_LDMATRIX

#define LECTERN_MMA(type)                                                            \
  LECTERN_PTX("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                 \
              ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
              : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])           \
              : "r"(a.at[0]), "r"(a.at[1]), "r"(a.at[2]), "r"(a.at[3]), "r"(b0), "r"(b1))
template <typename T>
LECTERN_HD void multiply_add([[maybe_unused]] float (&sums)[4], [[maybe_unused]] const Words& a,
                             [[maybe_unused]] std::uint32_t b0, [[maybe_unused]] std::uint32_t b1) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    LECTERN_MMA("bf16");
  } else {
    LECTERN_MMA("f16");
  }
}
#undef LECTERN_MMA

LECTERN_HD float exchange(float value, [[maybe_unused]] int mask) {
#ifdef __CUDA_ARCH__
  return __shfl_xor_sync(0xFFFFFFFFU, value, mask);
#else
  return value;
#endif
}

LECTERN_HD void sync_warp() {
#ifdef __CUDA_ARCH__
  __syncwarp();
#endif
}

template <int kBytes>
LECTERN_HD void copy_async([[maybe_unused]] SharedAddress to, [[maybe_unused]] const void* from,
                           [[maybe_unused]] bool present) {
  [[maybe_unused]] const int read = present ? kBytes : 0;
  if constexpr (kBytes == 16) {  // past the L1 cache
    LECTERN_PTX_IN_ORDER("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
                         :
                         : "r"(to), "l"(__cvta_generic_to_global(from)), "r"(read)
                         : "memory");
  } else {
    LECTERN_PTX_IN_ORDER("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                         :
                         : "r"(to), "l"(__cvta_generic_to_global(from)), "r"(read)
                         : "memory");
  }
}

LECTERN_HD void commit_copies() {
  LECTERN_PTX_IN_ORDER("cp.async.commit_group;" ::: "memory");
}

template <int kGroups>
LECTERN_HD void wait_for_copies() {
  LECTERN_PTX_IN_ORDER("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

template <typename T>
LECTERN_HD T load_shared([[maybe_unused]] SharedAddress from) {
  T value{};
#ifdef __CUDA_ARCH__
  value = *static_cast<const T*>(__cvta_shared_to_generic(from));
#endif
  return value;
}

template <typename T>
LECTERN_HD void store_shared([[maybe_unused]] SharedAddress to, [[maybe_unused]] const T& value) {
#ifdef __CUDA_ARCH__
  *static_cast<T*>(__cvta_shared_to_generic(to)) = value;
#endif
}

LECTERN_HD void add_to_global([[maybe_unused]] float* to, [[maybe_unused]] const float (&values)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(__cvta_generic_to_global(to)), "f"(values[0]), "f"(values[1]), "f"(values[2]),
                 "f"(values[3])
               : "memory");
#elif defined(__CUDA_ARCH__)
  for (int i = 0; i < 4; ++i) atomicAdd(to + i, values[i]);
#endif
}

template <typename T>
LECTERN_HD std::uint32_t pack([[maybe_unused]] float low, [[maybe_unused]] float high) {
  std::uint32_t pair = 0;
  if constexpr (std::is_same_v<T, BFloat16>) {
    LECTERN_PTX("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  } else {
    LECTERN_PTX("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  }
  return pair;
}

LECTERN_HD float exp2_fast([[maybe_unused]] float x) {
  float result = 0;
  LECTERN_PTX("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

LECTERN_HD float log2_fast([[maybe_unused]] float x) {
  float result = 0;
  LECTERN_PTX("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

LECTERN_HD float reciprocal_fast([[maybe_unused]] float x) {
  float result = 0;
  LECTERN_PTX("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

template <typename Kernel>
__global__ void __launch_bounds__(Kernel::kThreads, Kernel::kBlocksPerMultiprocessor)
    run_tiles(const __grid_constant__ Kernel kernel) {
  kernel(TileBlock<Kernel::kThreads>(), static_cast<std::int64_t>(blockIdx.x));
}

/// Lets blocks have so much shared memory on the current device; if it cannot, the last error says why. Never
/// less than before: another thread may be about to launch some with more, and a CUDA graph may have them.
template <typename Kernel>
bool allow_shared_bytes(int bytes) {
  static std::mutex mutex;
  static std::vector<int> allowed;  // by device
  const std::lock_guard lock(mutex);
  const auto device = static_cast<std::size_t>(lectern::cuda::current_device());
  if (device >= allowed.size()) allowed.resize(device + 1);
  if (bytes <= allowed[device]) return true;
  if (cudaFuncSetAttribute(run_tiles<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) !=
      cudaSuccess)
    return false;
  allowed[device] = bytes;
  return true;
}

template <typename Kernel>
void launch_tiles(std::int64_t blocks, int shared_bytes, const Kernel& kernel) {
  if (blocks == 0 || !allow_shared_bytes<Kernel>(shared_bytes)) return;
  run_tiles<<<static_cast<unsigned>(blocks), Kernel::kThreads, static_cast<std::size_t>(shared_bytes),
              lectern::cuda::current_stream_handle()>>>(kernel);
}

}  // namespace lectern::kernels::cuda

#undef LECTERN_PTX
#undef LECTERN_PTX_IN_ORDER
