#include "device/deterministic.h"

#include <atomic>

#include "base/tensor_error.h"

namespace lectern {
namespace {

constinit std::atomic<bool> deterministic_only = false;

}  // namespace

void use_deterministic_algorithms(bool mode) {
  deterministic_only.store(mode, std::memory_order_relaxed);
}

bool are_deterministic_algorithms_enabled() {
  return deterministic_only.load(std::memory_order_relaxed);
}

void alert_not_deterministic(std::string_view operation) {
  if (!are_deterministic_algorithms_enabled()) return;
  throw TensorError(
      operation,
      "it has no deterministic form, and use_deterministic_algorithms(true) was called; call it with "
      "false to allow results that differ from run to run");
}

}  // namespace lectern
