#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cudnn.h>

#include "device/stream.h"

/// Only with cuDNN's headers beside those of the CUDA toolkit at build time. The library itself is loaded by
/// the first who asks for it; nobody needs it, since there is another way to do all that it does.
namespace lectern::cuda {

/// cuDNN's functions, without the prefix "cudnn".
#define LECTERN_CUDNN_FUNCTIONS(F) \
  F(GetVersion)                    \
  F(GetErrorString)                \
  F(Create)                        \
  F(SetStream)                     \
  F(BackendCreateDescriptor)       \
  F(BackendDestroyDescriptor)      \
  F(BackendFinalize)               \
  F(BackendSetAttribute)           \
  F(BackendGetAttribute) F(BackendExecute)

struct Cudnn {
#define LECTERN_FUNCTION(name) decltype(&::cudnn##name) name;
  LECTERN_CUDNN_FUNCTIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION
};

/// Null where cuDNN 9 cannot be loaded.
const Cudnn* cudnn();
/// From the first of these files that loads; throws Error if none does, or if it is another version.
Cudnn load_cudnn(const std::vector<std::string>& candidates);

/// This thread's handle for the stream's device, on the stream. There is cuDNN.
cudnnHandle_t cudnn_handle(const Stream& stream = current_stream());

/// Throws TensorError of `operation` on failure.
void check_status(std::string_view operation, cudnnStatus_t status);

}  // namespace lectern::cuda
