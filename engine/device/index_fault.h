#pragma once

#include <cstddef>
#include <cstdint>

namespace lectern::cuda {

/// An out-of-range index as a kernel reports it, since a kernel can neither throw nor wait for the host.
/// Lives in page-locked memory. Several threads may write it at once, and after the host has read it, which
/// is why `launch` comes last and all but the index are the same for a launch.
struct IndexFault {
  const char* operation;  ///< with its length; it lives as long as the program
  std::size_t operation_length;
  std::int64_t index;
  std::int64_t size;
  std::int64_t launch;  ///< not 0: the rest is set
};

/// The number of a launch that may report; of one that is recorded, whose replays are all new ones, always
/// the same.
std::int64_t next_watched_launch();

/// Where this program's kernels report.
IndexFault& index_fault();

/// Throws TensorError if one was written since the last call, once for a launch. Called after every GPU
/// operation, and after waiting for one: the error comes with the first call after the kernel is done, and
/// names the operation that was given the index; under LECTERN_CUDA_SYNC=1 that is the operation itself.
void raise_index_fault();

}  // namespace lectern::cuda
