#pragma once

#include <cstdint>

#include "kernels/triangle.h"

namespace lectern::kernels::cuda {

/// kernels/triangle.h on the current CUDA device, enqueued on the current stream.
void keep_triangle(Triangle part, std::int64_t diagonal, std::int64_t matrices, std::int64_t rows,
                   std::int64_t columns, std::int64_t element_size, void* out, const void* in);

}  // namespace lectern::kernels::cuda
