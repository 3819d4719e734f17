#pragma once

#include "kernels/cross_entropy.h"

// Cross-entropies of logits on the current CUDA device, where targets and weights are too, with the semantics
// of kernels/cross_entropy.h, enqueued on the current stream. Invalid targets give NaN. Weights are aligned
// to 16 bytes.

namespace lectern::kernels::cuda {

void cross_entropy(const ClassLines& lines, void* losses, void* normalizers, void* weights);
void cross_entropy_backward(const ClassLines& lines, const Array& out, const void* normalizers,
                            const void* scales, bool each);
void nll_loss(const ClassLines& lines, void* losses, void* weights);
void nll_loss_backward(const ClassLines& lines, const Array& out, const void* scales, bool each);

}  // namespace lectern::kernels::cuda
