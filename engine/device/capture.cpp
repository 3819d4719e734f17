#include "device/capture.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <vector>

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

/// A recording that nobody has any more.
struct Released {
  int device;
  PoolId pool;
  GraphHandle graph;
};

/// Of all threads.
struct Captures {
  std::mutex mutex;
  std::vector<Stream> streams;     ///< that are captured
  std::vector<Released> released;  ///< to be freed when there are none
};

/// Never destroyed: threads may capture when the program ends.
Captures& captures() {
  static Captures& all = *new Captures;
  return all;
}

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

void release(const Released& recording) noexcept {
  const DeviceGuard guard(recording.device);
  {
    const HeldCaptures held;
    if (!held.empty()) {
      captures().released.push_back(recording);
      return;
    }
    context().driver().synchronize();
  }
  context().allocator(recording.device).release_pool(recording.pool);
  context().pinned_allocator().release_pool(recording.pool);
  if (recording.graph != nullptr) context().driver().destroy(recording.graph);
}

/// No longer captured: what waited for that is freed.
void leave(const Stream& stream) noexcept {
  std::vector<Released> due;
  {
    const std::lock_guard lock(captures().mutex);
    std::erase(captures().streams, stream);
    if (captures().streams.empty()) due.swap(captures().released);
  }
  for (const Released& recording : due) release(recording);
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

HeldCaptures::HeldCaptures() : lock_(captures().mutex) {}

bool HeldCaptures::empty() const {
  return captures().streams.empty();
}

bool HeldCaptures::include(const Stream& stream) const {
  return std::ranges::find(captures().streams, stream) != captures().streams.end();
}

Recording::~Recording() {
  if (!is_empty()) release({device_, pool_, graph_});
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
  const std::lock_guard lock(captures().mutex);
  check_status(kCapture, context().driver().begin_capture(stream_.handle()));
  captures().streams.push_back(stream_);
  recorded = {&stream_, pool_, pool_};
}

Capture::~Capture() {
  if (!is_open_) return;
  GraphHandle graph = nullptr;
  stop(&graph);
  release({stream_.device(), pool_, graph});
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
  release({stream_.device(), pool_, nullptr});
  check_status("CUDAGraph.capture_end", status);
  throw TensorError("CUDAGraph.capture_end", "nothing was recorded");
}

Status Capture::stop(GraphHandle* graph) {
  is_open_ = false;
  recorded = {};
  const DeviceGuard guard(stream_.device());
  const Status status = context().driver().end_capture(stream_.handle(), graph);
  leave(stream_);
  return status;
}

}  // namespace lectern::cuda
