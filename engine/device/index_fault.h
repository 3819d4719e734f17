#pragma once

#include <cstddef>
#include <cstdint>

namespace lectern::cuda {

/// An out-of-range index as a kernel reports it, since a kernel can neither throw nor wait for the host.
/// Lives in page-locked memory. Several threads may write it at once, which is why `found` comes last and all
/// others but the index are the same for a launch.
struct IndexFault {
  const char* operation;  ///< with its length; it lives as long as the program
  std::size_t operation_length;
  std::int64_t index;
  std::int64_t size;
  std::int32_t found;  ///< not 0: the rest is set
};

/// Where this program's kernels report.
IndexFault& index_fault();

/// Throws TensorError if one was written since the last call. Called after every GPU operation, and after
/// waiting for one: the error comes with the first call after the kernel is done, and names the operation
/// that was given the index; under LECTERN_CUDA_SYNC=1 that is the operation itself.
void raise_index_fault();

}  // namespace lectern::cuda
