#include "device/cuda_errors.h"

#include <array>
#include <string>

#include "base/tensor_error.h"
#include "device/context.h"
#include "device/index_fault.h"
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

void must(std::string_view operation, Problem problem) {
  if (problem == nullptr) return;
  std::string message = std::string("CUDA: ").append(problem);
  if (const std::string names = recent_names(); !names.empty() && !context().synchronous()) {
    message.append("; here, or earlier in what this thread gave to the GPU (the last were ")
        .append(names)
        .append("): run with LECTERN_CUDA_SYNC=1 to see in which");
  }
  throw TensorError(operation, message);
}

void check(std::string_view operation) {
  recent.newest = (recent.newest + 1) % recent.names.size();
  recent.names[recent.newest] = operation;
  const Context& gpus = context();
  Problem problem = gpus.driver().last_error();
  if (problem == nullptr && gpus.synchronous())
    problem = gpus.driver().synchronize(current_stream().handle());
  must(operation, problem);
  raise_index_fault();
}

}  // namespace lectern::cuda
