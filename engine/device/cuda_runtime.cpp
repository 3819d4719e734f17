#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/cuda_driver.h"

namespace lectern::cuda {
namespace {

/// Clears the error that it returns, so that last_error() does not return it again. (Sticky errors stay.)
Status status(cudaError_t error) {
  if (error == cudaSuccess) return nullptr;
  cudaGetLastError();
  return cudaGetErrorString(error);
}

/// Of a launch on this thread. CUDA keeps only the last error, which "not ready" is one of, too.
constinit thread_local cudaError_t launch_error = cudaSuccess;

/// Before a call whose result may take its place.
void keep_launch_error() {
  const cudaError_t error = cudaGetLastError();
  if (launch_error == cudaSuccess) launch_error = error;
}

/// "Not ready" and "out of memory" are results, not failures.
Status status_unless(cudaError_t expected, cudaError_t error) {
  const Status found = status(error);
  return error == expected ? nullptr : found;
}

Status query_status(cudaError_t error, bool* done) {
  *done = error == cudaSuccess;
  return status_unless(cudaErrorNotReady, error);
}

Status allocation_status(cudaError_t error, void** data) {
  if (error != cudaSuccess) *data = nullptr;
  return status_unless(cudaErrorMemoryAllocation, error);
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

class RuntimeDriver final : public Driver {
 public:
  explicit RuntimeDriver(int device_count) : pools_(static_cast<std::size_t>(device_count)) {}

  int device_count() override { return static_cast<int>(pools_.size()); }

  Status properties(int device, DeviceProperties* properties) override {
    cudaDeviceProp found{};
    if (const cudaError_t error = cudaGetDeviceProperties(&found, device)) return status(error);
    properties->name = found.name;
    properties->major = found.major;
    properties->minor = found.minor;
    properties->multi_processor_count = found.multiProcessorCount;
    properties->max_threads_per_multi_processor = found.maxThreadsPerMultiProcessor;
    properties->shared_memory_per_block_optin = static_cast<std::int64_t>(found.sharedMemPerBlockOptin);
    properties->total_memory = static_cast<std::int64_t>(found.totalGlobalMem);
    properties->l2_cache_size = found.l2CacheSize;
    properties->memory_bus_width = found.memoryBusWidth;
    properties->clock_rate = attribute(cudaDevAttrClockRate, device);
    properties->memory_clock_rate = attribute(cudaDevAttrMemoryClockRate, device);
    return nullptr;
  }

  Status set_device(int device) override { return status(cudaSetDevice(device)); }

  Status memory_info(MemoryInfo* info) override {
    std::size_t free = 0;
    std::size_t total = 0;
    const cudaError_t error = cudaMemGetInfo(&free, &total);
    *info = {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
    return status(error);
  }

  Status synchronize() override { return status(cudaDeviceSynchronize()); }
  Status last_error() override {
    keep_launch_error();
    return status(std::exchange(launch_error, cudaSuccess));
  }

  Status create_stream(StreamHandle* stream, int priority) override {
    return status(cudaStreamCreateWithPriority(stream, cudaStreamNonBlocking, priority));
  }
  Status synchronize(StreamHandle stream) override { return status(cudaStreamSynchronize(stream)); }
  Status query(StreamHandle stream, bool* done) override {
    keep_launch_error();
    return query_status(cudaStreamQuery(stream), done);
  }

  Status create_event(EventHandle* event, bool timed) override {
    return status(cudaEventCreateWithFlags(event, timed ? cudaEventDefault : cudaEventDisableTiming));
  }
  void destroy(EventHandle event) noexcept override { cudaEventDestroy(event); }
  Status record(EventHandle event, StreamHandle stream) override {
    return status(cudaEventRecord(event, stream));
  }
  Status wait(StreamHandle stream, EventHandle event) override {
    return status(cudaStreamWaitEvent(stream, event, 0));
  }
  Status query(EventHandle event, bool* done) override {
    keep_launch_error();
    return query_status(cudaEventQuery(event), done);
  }
  Status synchronize(EventHandle event) override { return status(cudaEventSynchronize(event)); }
  Status elapsed(EventHandle start, EventHandle end, float* milliseconds) override {
    return status(cudaEventElapsedTime(milliseconds, start, end));
  }

  Status allocate(void** data, std::size_t bytes, StreamHandle stream) override {
    keep_launch_error();
    return allocation_status(
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

  Status allocate_pinned(void** data, std::size_t bytes) override {
    keep_launch_error();
    return allocation_status(cudaHostAlloc(data, bytes, cudaHostAllocPortable), data);
  }
  void free_pinned(void* data) noexcept override { cudaFreeHost(data); }

  Status copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) override {
    return status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
  }
  /// cudaMemcpyAsync takes memory of another device's pool for no memory at all.
  Status copy_between(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                      StreamHandle stream) override {
    return status(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream));
  }

  Status begin_capture(StreamHandle stream) override {
    // Relaxed: memory is allocated meanwhile, on streams that are not captured.
    return status(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  }
  Status end_capture(StreamHandle stream, GraphHandle* graph) override {
    *graph = nullptr;
    cudaGraph_t captured = nullptr;
    if (const cudaError_t error = cudaStreamEndCapture(stream, &captured)) return status(error);
    const cudaError_t error = cudaGraphInstantiate(graph, captured, 0);
    cudaGraphDestroy(captured);
    return status(error);
  }
  Status launch(GraphHandle graph, StreamHandle stream) override {
    return status(cudaGraphLaunch(graph, stream));
  }
  void destroy(GraphHandle graph) noexcept override { cudaGraphExecDestroy(graph); }

 private:
  struct Pool {
    std::once_flag queried;
    cudaMemPool_t pool = nullptr;
  };

  /// The current device's pool, set to keep all freed memory; nullptr on devices that have none, or only
  /// claim to have one (some virtual ones).
  cudaMemPool_t pool() noexcept {
    int device = 0;
    cudaGetDevice(&device);
    Pool& entry = pools_[static_cast<std::size_t>(device)];
    std::call_once(entry.queried, [&] {
      if (attribute(cudaDevAttrMemoryPoolsSupported, device) == 0) return;
      cudaMemPool_t found = nullptr;
      void* trial = nullptr;
      if (status(cudaDeviceGetDefaultMemPool(&found, device)) != nullptr ||
          status(cudaMallocFromPoolAsync(&trial, 1, found, nullptr)) != nullptr) {
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

std::unique_ptr<Driver> find_driver(std::string* reason) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return std::make_unique<RuntimeDriver>(count);
  cudaGetLastError();
  *reason = error == cudaSuccess
                ? "no device is visible"
                : std::string("no device or no driver for it (").append(cudaGetErrorString(error)) + ")";
  return nullptr;
}

}  // namespace lectern::cuda
