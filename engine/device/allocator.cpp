#include "device/allocator.h"

#include "device/context.h"
#include "device/cpu_allocator.h"

namespace lectern {

Allocator& allocator(Device device) {
  if (device.is_cpu()) return cpu_allocator();
  return cuda::context().allocator(device.index());
}

}  // namespace lectern
