#pragma once

#include <cstddef>
#include <memory>

#include "device/cpu_allocator.h"

namespace lectern::kernels::cpu {

struct ScratchDeleter {
  std::size_t bytes = 0;

  void operator()(void* data) const { cpu_allocator().deallocate(data, bytes); }
};

/// Memory for the time of a kernel. Large blocks come from the allocator of tensors, which keeps what is
/// freed: the system would hand out fresh pages each time, and a page fault for 4 KiB can take longer than
/// the work on them.
using Scratch = std::unique_ptr<void, ScratchDeleter>;

inline Scratch scratch(std::size_t bytes) {
  return {cpu_allocator().allocate(bytes), ScratchDeleter{bytes}};
}

}  // namespace lectern::kernels::cpu
