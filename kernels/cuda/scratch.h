#pragma once

#include <cstddef>

#include "device/allocator.h"
#include "device/stream.h"

namespace lectern::kernels::cuda {

/// Workspace for one operation on the current stream: work enqueued there may use the block, though the host
/// frees it at once.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes)
      : allocator_(allocator(Device(Device::Type::cuda, lectern::cuda::current_device()))),
        bytes_(bytes),
        data_(allocator_.allocate(bytes)) {}
  ~Scratch() { allocator_.deallocate(data_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Allocator& allocator_;
  std::size_t bytes_;
  void* data_;
};

}  // namespace lectern::kernels::cuda
