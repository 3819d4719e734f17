#include "kernels/cuda/scratch.h"

#include "device/allocator.h"
#include "device/copy.h"

namespace lectern::kernels::cuda {

Scratch::Scratch(std::size_t bytes)
    : allocator_(allocator(Device(Device::Type::cuda, lectern::cuda::current_device()))),
      bytes_(bytes),
      data_(allocator_.allocate(bytes)) {}

Scratch::~Scratch() {
  allocator_.deallocate(data_, bytes_);
}

void Scratch::fill(const void* from) const {
  lectern::cuda::enqueue_staged_copy(data_, from, bytes_);
}

}  // namespace lectern::kernels::cuda
