#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cumsum.h"

// Running sums on arrays on the current CUDA device, with the semantics of kernels/cumsum.h, enqueued on the
// current stream. A line of n elements is cut into about √n parts: one thread scans their sums sequentially,
// and one thread each their elements.

namespace lectern::kernels::cuda {

void cumsum(Dtype common, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
            const Array& in, bool reverse);

}  // namespace lectern::kernels::cuda
