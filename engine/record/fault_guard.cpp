#include "record/fault_guard.h"

#include <csetjmp>
#include <csignal>

#include "record/main_thread.h"

extern "C" [[gnu::weak]] void* __asan_region_is_poisoned(void* begin, std::size_t bytes);  // NOLINT

namespace lectern::values {
namespace {

sigjmp_buf* escape = nullptr;  // on the main thread, which alone records

}  // namespace

bool survives(void (*read)(void* context), void* context) {
  sigjmp_buf here;
  if (sigsetjmp(here, 1) != 0) {  // NOLINT(cert-err52-cpp): a fault throws no exception
    escape = nullptr;
    return false;
  }
  escape = &here;
  read(context);
  escape = nullptr;
  return true;
}

void escape_fault(int signal) {
  if (on_main_thread && escape != nullptr && (signal == SIGSEGV || signal == SIGBUS))
    siglongjmp(*escape, 1);  // NOLINT(cert-err52-cpp)
}

bool poisoned(const volatile void* address, std::size_t bytes) {
  return __asan_region_is_poisoned != nullptr &&
         __asan_region_is_poisoned(const_cast<void*>(address), bytes) != nullptr;
}

}  // namespace lectern::values
