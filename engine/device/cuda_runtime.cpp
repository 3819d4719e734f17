#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/cuda_driver.h"

namespace lectern::cuda {
namespace {

/// Clears the error that it reports, so that last_error() does not report it again. (Sticky errors stay.)
Problem problem(cudaError_t error) {
  if (error == cudaSuccess) return nullptr;
  cudaGetLastError();
  return cudaGetErrorString(error);
}

/// An answer of "not yet" or "no more" is no failure.
Problem problem_unless(cudaError_t answer, cudaError_t error) {
  const Problem found = problem(error);
  return error == answer ? nullptr : found;
}

Problem answer_query(cudaError_t error, bool* done) {
  *done = error == cudaSuccess;
  return problem_unless(cudaErrorNotReady, error);
}

Problem answer_allocation(cudaError_t error, void** data) {
  if (error != cudaSuccess) *data = nullptr;
  return problem_unless(cudaErrorMemoryAllocation, error);
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

class RuntimeDriver final : public Driver {
 public:
  explicit RuntimeDriver(int device_count) : pools_(static_cast<std::size_t>(device_count)) {}

  int device_count() override { return static_cast<int>(pools_.size()); }

  Problem properties(int device, DeviceProperties* properties) override {
    cudaDeviceProp found{};
    if (const cudaError_t error = cudaGetDeviceProperties(&found, device)) return problem(error);
    properties->name = found.name;
    properties->major = found.major;
    properties->minor = found.minor;
    properties->multi_processor_count = found.multiProcessorCount;
    properties->max_threads_per_multi_processor = found.maxThreadsPerMultiProcessor;
    properties->total_memory = static_cast<std::int64_t>(found.totalGlobalMem);
    properties->l2_cache_size = found.l2CacheSize;
    properties->memory_bus_width = found.memoryBusWidth;
    properties->clock_rate = attribute(cudaDevAttrClockRate, device);
    properties->memory_clock_rate = attribute(cudaDevAttrMemoryClockRate, device);
    return nullptr;
  }

  Problem set_device(int device) override { return problem(cudaSetDevice(device)); }

  Problem memory_info(MemoryInfo* info) override {
    std::size_t free = 0;
    std::size_t total = 0;
    const cudaError_t error = cudaMemGetInfo(&free, &total);
    *info = {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
    return problem(error);
  }

  Problem synchronize() override { return problem(cudaDeviceSynchronize()); }
  Problem last_error() override { return problem(cudaGetLastError()); }

  Problem create_stream(StreamHandle* stream, int priority) override {
    return problem(cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, priority));
  }
  Problem synchronize(StreamHandle stream) override { return problem(cudaStreamSynchronize(stream)); }
  Problem query(StreamHandle stream, bool* done) override {
    return answer_query(cudaStreamQuery(stream), done);
  }

  Problem create_event(EventHandle* event, bool timed) override {
    return problem(cudaEventCreateWithFlags(event, timed ? cudaEventDefault : cudaEventDisableTiming));
  }
  void destroy(EventHandle event) noexcept override { cudaEventDestroy(event); }
  Problem record(EventHandle event, StreamHandle stream) override {
    return problem(cudaEventRecord(event, stream));
  }
  Problem wait(StreamHandle stream, EventHandle event) override {
    return problem(cudaStreamWaitEvent(stream, event, 0));
  }
  Problem query(EventHandle event, bool* done) override { return answer_query(cudaEventQuery(event), done); }
  Problem synchronize(EventHandle event) override { return problem(cudaEventSynchronize(event)); }
  Problem elapsed(EventHandle start, EventHandle end, float* milliseconds) override {
    return problem(cudaEventElapsedTime(milliseconds, start, end));
  }

  Problem allocate(void** data, std::size_t bytes, StreamHandle stream) override {
    return answer_allocation(
        pool() != nullptr ? cudaMallocAsync(data, bytes, stream) : cudaMalloc(data, bytes), data);
  }
  void free(void* data, StreamHandle stream) noexcept override {
    if (pool() != nullptr) {
      cudaFreeAsync(data, stream);
    } else {
      cudaFree(data);
    }
  }
  void trim() noexcept override {
    cudaDeviceSynchronize();
    if (pool() != nullptr) cudaMemPoolTrimTo(pool(), 0);
  }

  Problem allocate_pinned(void** data, std::size_t bytes) override {
    return answer_allocation(cudaHostAlloc(data, bytes, cudaHostAllocPortable), data);
  }
  void free_pinned(void* data) noexcept override { cudaFreeHost(data); }

  Problem copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) override {
    return problem(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
  }

 private:
  struct Pool {
    std::once_flag asked;
    cudaMemPool_t pool = nullptr;
  };

  /// The current device's pool, set to keep all freed memory; nullptr on devices that have none, or only
  /// claim to have one (some virtual ones).
  cudaMemPool_t pool() noexcept {
    int device = 0;
    cudaGetDevice(&device);
    Pool& entry = pools_[static_cast<std::size_t>(device)];
    std::call_once(entry.asked, [&] {
      if (attribute(cudaDevAttrMemoryPoolsSupported, device) == 0) return;
      cudaMemPool_t found = nullptr;
      void* trial = nullptr;
      if (problem(cudaDeviceGetDefaultMemPool(&found, device)) != nullptr ||
          problem(cudaMallocFromPoolAsync(&trial, 1, found, nullptr)) != nullptr) {
        return;
      }
      cudaFreeAsync(trial, nullptr);
      std::uint64_t everything = UINT64_MAX;
      cudaMemPoolSetAttribute(found, cudaMemPoolAttrReleaseThreshold, &everything);
      entry.pool = found;
    });
    return entry.pool;
  }

  std::vector<Pool> pools_;
};

}  // namespace

std::unique_ptr<Driver> find_driver(std::string* why_not) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return std::make_unique<RuntimeDriver>(count);
  cudaGetLastError();
  *why_not = error == cudaSuccess
                 ? "no device is visible"
                 : std::string("no device or no driver for it (").append(cudaGetErrorString(error)) + ")";
  return nullptr;
}

}  // namespace lectern::cuda
