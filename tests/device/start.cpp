// What any program does on a machine without a GPU: it starts, sees none, and works on the CPU.

#include <cstdio>

#include "device/cuda.h"
#include "device/memory.h"

int main() {
  using namespace lectern;
  std::printf("available %d, devices %d, reserved %lld\n", cuda::is_available() ? 1 : 0, cuda::device_count(),
              static_cast<long long>(memory_reserved()));
}
