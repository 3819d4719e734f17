#pragma once

#include <cstddef>
#include <cstdint>

namespace lectern::cuda {

/// An index that points outside of its dimension, as a kernel reports it: a kernel neither throws nor waits
/// for anyone to look. It stands in page-locked memory. Several threads may write it at once, which is why
/// `found` comes last and all others but the index are the same for a launch.
struct IndexFault {
  const char* operation;  ///< with its length; it lives as long as the program
  std::size_t operation_length;
  std::int64_t index;
  std::int64_t size;
  std::int32_t found;  ///< not 0: the rest is there
};

/// What kernels of this program write to.
IndexFault& index_fault();

/// A TensorError when one was written since the last call. After every operation on a GPU, and after waiting
/// for one: the error comes with the first of these after the kernel was done, and names the operation that
/// the index was given to; under LECTERN_CUDA_SYNC=1 that is the operation itself.
void raise_index_fault();

}  // namespace lectern::cuda
