#pragma once

struct CUstream_st;

namespace lectern::cuda {

using StreamHandle = CUstream_st*;  ///< cudaStream_t; nullptr is the default stream of the current device

/// That of current_stream(). On its own, since device/stream.h takes a file of kernels a second to compile.
StreamHandle current_stream_handle();

}  // namespace lectern::cuda
