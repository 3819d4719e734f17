#include "device/tf32.h"

#include <atomic>

namespace lectern::cuda {
namespace {

constinit std::atomic<bool> allowed = false;

}  // namespace

bool allow_tf32() {
  return allowed.load(std::memory_order_relaxed);
}

void set_allow_tf32(bool allow) {
  allowed.store(allow, std::memory_order_relaxed);
}

}  // namespace lectern::cuda
