#include "device/index_fault.h"

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "base/tensor_error.h"
#include "device/capture.h"
#include "device/context.h"

namespace lectern::cuda {
namespace {

constexpr std::int64_t kRecorded = -1;

/// Whether nobody was told of the launch yet.
bool is_news(std::int64_t launch) {
  static std::mutex mutex;
  static std::set<std::int64_t>& told = *new std::set<std::int64_t>;
  if (launch == kRecorded) return true;
  const std::lock_guard lock(mutex);
  return told.insert(launch).second;
}

}  // namespace

std::int64_t next_watched_launch() {
  static constinit std::atomic<std::int64_t> last = 0;
  return is_capturing() ? kRecorded : ++last;
}

IndexFault& index_fault() {
  return context().index_fault();
}

void raise_index_fault() {
  Context* const gpus = find_context();
  IndexFault* const fault = gpus == nullptr ? nullptr : gpus->find_index_fault();
  if (fault == nullptr) return;
  const std::atomic_ref launch(fault->launch);
  if (launch.load(std::memory_order_acquire) == 0) return;
  IndexFault copy = *fault;  // before the record is free for the next kernel
  const std::int64_t found = launch.exchange(0);
  if (found != copy.launch) copy = *fault;  // another kernel has written it meanwhile
  if (found == 0 || !is_news(found)) return;
  throw TensorError(
      std::string_view(copy.operation, copy.operation_length),
      "index " + std::to_string(copy.index) + " is out of range for a dimension of size " +
          std::to_string(copy.size) +
          " (detected on the GPU: the results of this operation, and all that was computed from them, "
          "are invalid)");
}

}  // namespace lectern::cuda
