#include "record/run_block.h"

#include <cstdlib>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lectern {

RunBlock* RunBlock::attach() {
  const char* const number = std::getenv(kVariable);
  if (number == nullptr) return nullptr;
  const int descriptor = std::atoi(number);
  unsetenv(kVariable);  // not for programs that the lecture starts
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || status.st_size != static_cast<off_t>(sizeof(RunBlock)))
    return nullptr;
  void* const memory = mmap(nullptr, sizeof(RunBlock), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (memory == MAP_FAILED) return nullptr;
  auto* const block = static_cast<RunBlock*>(memory);
  int none = 0;
  if (block->version != kVersion) return nullptr;
  return block->recorder.compare_exchange_strong(none, getpid()) ? block : nullptr;
}

}  // namespace lectern
