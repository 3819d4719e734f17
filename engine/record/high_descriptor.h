#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace lectern {

/// Moves a descriptor out of the way of a lecture that counts on low numbers; programs that it starts find it
/// closed. Returns the new number.
inline int move_descriptor_up(int descriptor) {
  const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, 200);
  if (high < 0) return descriptor;
  close(descriptor);
  return high;
}

}  // namespace lectern
