#pragma once

#include "kernels/norms.h"

// layer_norm and rms_norm on matrices in the memory of the current CUDA device, with the meaning of
// kernels/norms.h, given to the current stream. Weights and biases are aligned to 16 bytes.

namespace lectern::kernels::cuda {

void norm(Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
          const NormParameters& parameters, const NormStatistics& statistics);
void norm_backward(Norm kind, const NormShape& shape, const Array& out, const Array& grad, const Array& x,
                   const void* weight, const NormStatistics& statistics, const NormParameters& gradients);

}  // namespace lectern::kernels::cuda
