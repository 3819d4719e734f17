#include "device/capture.h"

#include <atomic>
#include <string_view>

#include "base/tensor_error.h"
#include "device/context.h"

namespace lectern::cuda {
namespace {

constexpr std::string_view kCapture = "CUDAGraph.capture_begin";

/// What this thread is recording, and where it allocates from.
struct Current {
  const Stream* stream = nullptr;
  PoolId recording = 0;
  PoolId pool = 0;
};
constinit thread_local Current recorded;

PoolId next_pool() {
  static constinit std::atomic<PoolId> last = 0;
  return ++last;
}

Stream capturable_stream() {
  notify_stream_watch();
  const Stream stream = current_stream();
  if (is_capturing()) throw TensorError(kCapture, "this thread is capturing already: end that first");
  if (stream.handle() == nullptr) {
    throw TensorError(kCapture,
                      "the default stream cannot be captured: make another one current, as capture() does");
  }
  return stream;
}

void release(int device, PoolId pool) noexcept {
  const DeviceGuard guard(device);
  context().driver().synchronize();
  context().allocator(device).release_pool(pool);
  context().pinned_allocator().release_pool(pool);
}

}  // namespace

bool is_capturing() {
  return recorded.stream != nullptr;
}

PoolId current_pool() {
  return recorded.pool;
}

PoolId current_recording() {
  return recorded.recording;
}

OutsidePool::OutsidePool() : ScopedValue(recorded.pool, 0) {}

bool captures(const Stream& stream) {
  return is_capturing() && *recorded.stream == stream;
}

Recording::~Recording() {
  if (is_empty()) return;
  release(device_, pool_);
  context().driver().destroy(graph_);
}

void Recording::swap(Recording& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(pool_, other.pool_);
  std::swap(graph_, other.graph_);
}

void Recording::launch() const {
  const Stream stream = current_stream(device_);
  const DeviceGuard guard(device_);
  check_status("CUDAGraph.replay", context().driver().launch(graph_, stream.handle()));
}

Capture::Capture() : stream_(capturable_stream()), pool_(next_pool()) {
  check_status(kCapture, context().driver().begin_capture(stream_.handle()));
  recorded = {&stream_, pool_, pool_};
}

Capture::~Capture() {
  if (!is_open_) return;
  GraphHandle graph = nullptr;
  stop(&graph);
  if (graph != nullptr) context().driver().destroy(graph);
  release(stream_.device(), pool_);
}

bool Capture::is_of_this_thread() const {
  return recorded.stream == &stream_;
}

Recording Capture::end() {
  notify_stream_watch();
  Recording recording;
  recording.device_ = stream_.device();
  recording.pool_ = pool_;
  const Status status = stop(&recording.graph_);
  if (status == nullptr && !recording.is_empty()) return recording;
  release(stream_.device(), pool_);
  check_status("CUDAGraph.capture_end", status);
  throw TensorError("CUDAGraph.capture_end", "nothing was recorded");
}

Status Capture::stop(GraphHandle* graph) {
  is_open_ = false;
  recorded = {};
  const DeviceGuard guard(stream_.device());
  return context().driver().end_capture(stream_.handle(), graph);
}

}  // namespace lectern::cuda
