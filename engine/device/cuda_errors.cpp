#include <array>
#include <string>

#include "base/tensor_error.h"
#include "device/context.h"
#include "device/cuda_driver.h"
#include "device/faults.h"
#include "device/stream.h"

namespace lectern::cuda {
namespace {

/// The last operations enqueued, the newest at `newest`.
struct Recent {
  std::array<std::string_view, 6> names{};
  std::size_t newest = 0;
};
constinit thread_local Recent recent;

std::string recent_names() {
  std::string names;
  for (std::size_t age = 0; age < recent.names.size(); ++age) {
    const std::string_view name =
        recent.names[(recent.newest + recent.names.size() - age) % recent.names.size()];
    if (!name.empty()) names.append(names.empty() ? "" : ", ").append(name);
  }
  return names;
}

}  // namespace

void check_status(std::string_view operation, Status status) {
  if (status == nullptr) return;
  std::string message = std::string("CUDA: ").append(status);
  if (const std::string names = recent_names(); !names.empty() && !context().synchronous()) {
    message.append("; in this call, or in work that this thread enqueued earlier (most recently ")
        .append(names)
        .append("): run with LECTERN_CUDA_SYNC=1 to locate it");
  }
  throw TensorError(operation, message);
}

void check(std::string_view operation) {
  recent.newest = (recent.newest + 1) % recent.names.size();
  recent.names[recent.newest] = operation;
  const Context& gpus = context();
  Status status = gpus.driver().last_error();
  if (status == nullptr && gpus.synchronous()) status = gpus.driver().synchronize(current_stream().handle());
  check_status(operation, status);
  raise_faults();
}

}  // namespace lectern::cuda
