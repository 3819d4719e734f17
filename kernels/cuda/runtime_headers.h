#pragma once

#include <span>

namespace lectern::kernels::cuda {

/// A header as source that is compiled at run time includes it, and its text.
struct RuntimeHeader {
  const char* name;
  const char* text;
};

/// All that kernels/cuda/fused_kernel.h includes, in place of the standard library's
/// kernels/cuda/runtime_std.h (engine/cmake/EmbedHeaders.cmake writes them).
std::span<const RuntimeHeader> runtime_headers();

}  // namespace lectern::kernels::cuda
