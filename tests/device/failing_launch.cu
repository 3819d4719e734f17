#include "device/failing_launch.h"

namespace lectern::test {
namespace {

__global__ void nothing() {}

__global__ void wait(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

void launch_too_many_threads() {
  nothing<<<1, 4096>>>();
}

void launch_long_work() {
  wait<<<1, 1>>>(100'000'000);
}

}  // namespace lectern::test
