#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lectern::cuda {

/// GPUs, by the names of torch.cuda. Part of every build: without a GPU, a driver, or CUDA at build time,
/// is_available() is false and what needs a GPU throws a TensorError with the reason.

bool is_available();
int device_count();
/// Why is_available() is false: "no driver (…)"; empty when it is true.
std::string unavailable_reason();

/// The device that "cuda" means on this thread; initially 0. Throws TensorError for an unknown one.
int current_device();
void set_device(int device);

/// Sets the current device for the scope.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) : before_(current_device()) {
    if (device != before_) set_device(device);
  }
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int before_;
};

struct DeviceProperties {
  std::string name;
  int major = 0;  ///< of the compute capability, with `minor`
  int minor = 0;
  int multi_processor_count = 0;
  int max_threads_per_multi_processor = 0;
  std::int64_t shared_memory_per_block_optin = 0;  ///< bytes, at most
  std::int64_t total_memory = 0;                   ///< bytes
  std::int64_t l2_cache_size = 0;                  ///< bytes
  int clock_rate = 0;                              ///< kHz, at most
  int memory_clock_rate = 0;                       ///< kHz, at most
  int memory_bus_width = 0;                        ///< bits
};

DeviceProperties get_device_properties(int device = current_device());

struct MemoryInfo {
  std::int64_t free = 0;
  std::int64_t total = 0;
};

/// Bytes of the whole device, for all programs.
MemoryInfo mem_get_info(int device = current_device());

/// torch.backends.cuda.matmul.allow_tf32: whether products of float32 matrices on the GPU may round their
/// operands to TF32, which has 10 bits of fraction instead of 23, and use its tensor cores. Initially off;
/// for all threads.
bool allow_tf32();
void set_allow_tf32(bool allow);

/// Of cuDNN, as 91900 for 9.19.0: torch.backends.cudnn.version(). 0 where cuDNN 9 is not found, or the
/// program was built without its headers.
std::size_t cudnn_version();

/// torch.backends.cudnn.enabled: whether attention (ops/attention.h) and convolutions (ops/convolution.h) may
/// go by cuDNN where it is found. For all threads; on initially.
bool cudnn_enabled();
void set_cudnn_enabled(bool enabled);

/// Waits until all work enqueued on the device is done; its errors surface here.
void synchronize(int device = current_device());

/// After enqueueing work on the GPU: throws TensorError naming the operation if a launch has failed.
/// `operation` lives as long as the program. With LECTERN_CUDA_SYNC=1 in the environment it waits for the
/// work, so that an error in it names its operation, too; else that surfaces later, with the operations it
/// may be from.
void check(std::string_view operation);

}  // namespace lectern::cuda
