#include "device/faults.h"

#include <atomic>
#include <mutex>
#include <optional>

#include "base/tensor_error.h"
#include "device/index_fault.h"

namespace lectern::cuda {
namespace {

struct LostWork {
  std::atomic<bool> is_lost = false;  ///< read without the mutex by every operation
  std::mutex mutex;
  std::optional<TensorError> error = {};
};

/// Never destroyed: threads may still wait when the program ends.
LostWork& lost_work() {
  static LostWork& the_work = *new LostWork;
  return the_work;
}

}  // namespace

void raise_faults() {
  raise_index_fault();
  LostWork& work = lost_work();
  if (!work.is_lost.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(work.mutex);
  if (work.error) throw TensorError(*work.error);
}

void report_lost_work(std::string_view operation, std::string_view problem) {
  LostWork& work = lost_work();
  const std::lock_guard lock(work.mutex);
  if (!work.error) work.error.emplace(operation, problem);
  work.is_lost.store(true, std::memory_order_release);
}

void forget_lost_work() {
  LostWork& work = lost_work();
  const std::lock_guard lock(work.mutex);
  work.error.reset();
  work.is_lost = false;
}

}  // namespace lectern::cuda
