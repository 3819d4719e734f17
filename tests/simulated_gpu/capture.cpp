#include "simulated_gpu/capture.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/stream.h"

namespace lectern::test {
namespace {

using Works = std::vector<std::function<void()>>;

struct Recording {
  cuda::StreamHandle stream;
  Works works;
  bool is_valid = true;
};
thread_local std::optional<Recording> recording;

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
  if (recording) return "operation not permitted when stream is capturing";
  recording = Recording{stream, {}};
  return nullptr;
}

cuda::Status end_recording(cuda::StreamHandle stream, cuda::GraphHandle* graph) {
  *graph = nullptr;
  if (!recording || recording->stream != stream) return "the stream is not capturing";
  const Recording ended = *std::exchange(recording, std::nullopt);
  if (!ended.is_valid) return "operation failed due to a previous error during capture";
  *graph = reinterpret_cast<cuda::GraphHandle>(std::make_unique<Works>(ended.works).release());
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
  return "operation not permitted when stream is capturing";
}

}  // namespace lectern::test
