#include "simulated_gpu/capture.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "device/stream.h"

namespace lectern::test {
namespace {

using Works = std::vector<std::function<void()>>;

struct Recording;

/// Those of all threads.
struct Recordings {
  std::mutex mutex;
  std::set<Recording*> open;
};
Recordings& recordings() {
  static Recordings& all = *new Recordings;
  return all;
}

struct Recording {
  explicit Recording(cuda::StreamHandle recorded) : stream(recorded) {
    const std::lock_guard lock(recordings().mutex);
    recordings().open.insert(this);
  }
  ~Recording() {
    const std::lock_guard lock(recordings().mutex);
    recordings().open.erase(this);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const cuda::StreamHandle stream;
  Works works;
  std::atomic<bool> is_valid = true;
};
thread_local std::optional<Recording> recording;

constexpr cuda::Status kCapturing = "operation not permitted when stream is capturing";

bool is_recorded(cuda::StreamHandle stream) {
  const std::lock_guard lock(recordings().mutex);
  return std::ranges::any_of(recordings().open,
                             [&](const Recording* open) { return open->stream == stream; });
}

Works& works_of(cuda::GraphHandle graph) {
  return *reinterpret_cast<Works*>(graph);
}

}  // namespace

bool is_recording() {
  return recording && recording->stream == cuda::current_stream().handle();
}

void give(const std::function<void()>& work) {
  give(cuda::current_stream().handle(), work);
}

void give(cuda::StreamHandle stream, const std::function<void()>& work) {
  if (recording && recording->stream == stream) {
    recording->works.push_back(work);
  } else {
    work();
  }
}

cuda::Status begin_recording(cuda::StreamHandle stream) {
  if (stream == nullptr) return "operation not permitted on the default stream";
  if (recording || is_recorded(stream)) return kCapturing;
  recording.emplace(stream);
  return nullptr;
}

cuda::Status end_recording(cuda::StreamHandle stream, cuda::GraphHandle* graph) {
  *graph = nullptr;
  if (!recording || recording->stream != stream) return "the stream is not capturing";
  const bool is_valid = recording->is_valid;
  auto works = std::make_unique<Works>(std::move(recording->works));
  recording.reset();
  if (!is_valid) return "operation failed due to a previous error during capture";
  *graph = reinterpret_cast<cuda::GraphHandle>(works.release());
  return nullptr;
}

cuda::Status run_recorded(cuda::GraphHandle graph, cuda::StreamHandle stream) {
  give(stream, [works = works_of(graph)] {
    for (const auto& work : works) work();
  });
  return nullptr;
}

void destroy_recorded(cuda::GraphHandle graph) {
  const std::unique_ptr<Works> last(&works_of(graph));
}

cuda::Status refuse_to_wait() {
  if (!recording) return nullptr;
  recording->is_valid = false;
  return kCapturing;
}

cuda::Status refuse_to_wait_for_device() {
  const std::lock_guard lock(recordings().mutex);
  for (Recording* const open : recordings().open) open->is_valid = false;
  return recordings().open.empty() ? nullptr : kCapturing;
}

void spoil(cuda::StreamHandle stream) {
  const std::lock_guard lock(recordings().mutex);
  for (Recording* const open : recordings().open) {
    if (open->stream == stream) open->is_valid = false;
  }
}

}  // namespace lectern::test
