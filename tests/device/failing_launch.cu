#include "device/failing_launch.h"

namespace lectern::test {
namespace {

__global__ void nothing() {}

}  // namespace

void launch_too_many_threads() {
  nothing<<<1, 4096>>>();
}

}  // namespace lectern::test
