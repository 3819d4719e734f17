#include "simulated_gpu/undefined.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace lectern::test {

void abort_kernel(const char* reason) {
  std::fprintf(stderr, "a kernel of the simulated GPU: %s\n", reason);
  std::abort();
}

void check_alignment(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
    abort_kernel("an address in global memory is not aligned");
}

}  // namespace lectern::test
