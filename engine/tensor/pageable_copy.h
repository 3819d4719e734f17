#pragma once

#include <cstddef>

#include "device/stream.h"

// Large copies between pageable memory of the host and a GPU. CUDA's own go through page-locked memory too,
// but one thread fills that; here all threads do, while the GPU takes the part before. It takes 12 MiB, which
// the allocator keeps for later ones.

namespace lectern {

/// Returns once the source may be changed.
void copy_from_pageable(void* gpu, const void* host, std::size_t bytes, const cuda::Stream& stream);
/// Returns once it is done.
void copy_to_pageable(void* host, const void* gpu, std::size_t bytes, const cuda::Stream& stream);

}  // namespace lectern
