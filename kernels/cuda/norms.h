#pragma once

#include "kernels/norms.h"

// layer_norm and rms_norm on matrices on the current CUDA device, with the semantics of kernels/norms.h,
// enqueued on the current stream. Weights and biases are aligned to 16 bytes.

namespace lectern::kernels::cuda {

void norm(Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
          const NormParameters& parameters, const NormStatistics& statistics);
void norm_backward(Norm kind, const NormShape& shape, const Array& out, const Array& grad, const Array& x,
                   const void* weight, const NormStatistics& statistics, const NormParameters& gradients);

}  // namespace lectern::kernels::cuda
