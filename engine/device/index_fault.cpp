#include "device/index_fault.h"

#include <atomic>
#include <string>
#include <string_view>

#include "base/tensor_error.h"
#include "device/context.h"

namespace lectern::cuda {

IndexFault& index_fault() {
  return context().index_fault();
}

void raise_index_fault() {
  Context* const gpus = find_context();
  IndexFault* const fault = gpus == nullptr ? nullptr : gpus->find_index_fault();
  if (fault == nullptr) return;
  const std::atomic_ref found(fault->found);
  if (found.load(std::memory_order_acquire) == 0) return;
  const IndexFault copy = *fault;  // before the record is free for the next kernel
  if (found.exchange(0) == 0) return;
  throw TensorError(
      std::string_view(copy.operation, copy.operation_length),
      "index " + std::to_string(copy.index) + " is out of range for a dimension of size " +
          std::to_string(copy.size) +
          " (detected on the GPU: the results of this operation, and all that was computed from them, "
          "are invalid)");
}

}  // namespace lectern::cuda
