#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/softmax.h"

// Softmax on arrays on the current CUDA device, with the semantics of kernels/softmax.h, enqueued on the
// current stream.

namespace lectern::kernels::cuda {

void softmax(Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
             const Array& x);
void softmax_backward(Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
                      const Array& grad, const Array& y);

}  // namespace lectern::kernels::cuda
