#pragma once

#ifndef __CUDACC__
#include <string_view>
#include <type_traits>

#include "device/cuda.h"
#include "device/device.h"
#endif

// A kernel is declared once for both devices:
//
//   LECTERN_KERNEL(void, copy, std::span<const std::int64_t> sizes, const Array& out, const Array& in);
//
// That declares kernels::cpu::copy and kernels::cuda::copy, functions with these parameters, which a file in
// kernels/cpu and one in kernels/cuda define; and the object kernels::copy, which calls the one of a device:
//
//   kernels::copy("clone", tensor.device(), sizes, out, in);
//
// Arrays are in the memory of that device. On the CPU the work is done when the call returns; on a GPU it is
// enqueued on the current stream. For nvcc, which parses a file three times, only the functions are declared:
// a file of kernels defines some of them and calls others directly.

#ifdef __CUDACC__

#define LECTERN_KERNEL(Result, name, ...) \
  namespace cuda {                        \
  Result name(__VA_ARGS__);               \
  }                                       \
  static_assert(true)

#else

namespace lectern::kernels {

/// Is told the name of every operation whose kernel a thread calls.
class KernelObserver {
 public:
  KernelObserver() = default;
  virtual ~KernelObserver() = default;
  KernelObserver(const KernelObserver&) = delete;
  KernelObserver& operator=(const KernelObserver&) = delete;

  virtual void on_kernel(std::string_view operation) = 0;
};

namespace detail {
inline constinit thread_local KernelObserver* kernel_observer = nullptr;
}

template <typename Function>
class Kernel;

template <typename Result, typename... Parameters>
class Kernel<Result(Parameters...)> {
 public:
  using Function = Result(Parameters...);

  /// `cuda` is null in a build without CUDA, which has no tensors there.
  constexpr Kernel(Function* cpu, Function* cuda) : cpu_(cpu), cuda_(cuda) {}

  /// On a GPU with `device` as the current one; a launch that failed is then a TensorError of `operation`, a
  /// name that lives as long as the program.
  Result operator()(std::string_view operation, Device device, Parameters... arguments) const {
    if (detail::kernel_observer != nullptr) [[unlikely]]
      detail::kernel_observer->on_kernel(operation);
    if (!device.is_cuda()) return cpu_(arguments...);
    const lectern::cuda::DeviceGuard guard(device.index());
    if constexpr (std::is_void_v<Result>) {
      cuda_(arguments...);
      lectern::cuda::check(operation);
    } else {
      const Result result = cuda_(arguments...);
      lectern::cuda::check(operation);
      return result;
    }
  }

  /// The same of a function that launches nothing and computes nothing: observers are not told.
  Result query(Device device, Parameters... arguments) const {
    if (!device.is_cuda()) return cpu_(arguments...);
    const lectern::cuda::DeviceGuard guard(device.index());
    return cuda_(arguments...);
  }

 private:
  Function* cpu_;
  Function* cuda_;
};

}  // namespace lectern::kernels

#ifdef LECTERN_HAS_CUDA
#define LECTERN_CUDA_KERNEL(name) cuda::name
#else
#define LECTERN_CUDA_KERNEL(name) nullptr
#endif

#define LECTERN_KERNEL(Result, name, ...)             \
  namespace cpu {                                     \
  Result name(__VA_ARGS__);                           \
  }                                                   \
  namespace cuda {                                    \
  Result name(__VA_ARGS__);                           \
  }                                                   \
  inline constexpr Kernel<Result(__VA_ARGS__)> name { \
    cpu::name, LECTERN_CUDA_KERNEL(name)              \
  }

#endif
