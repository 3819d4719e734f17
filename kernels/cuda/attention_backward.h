#pragma once

#include "kernels/attention.h"

namespace lectern::kernels::cuda {

/// What the backward kernels share: of each query the logarithm, of base 2, of its weights' sum, and the
/// product of its result and that one's gradient.
struct AttentionBackward {
  AttentionProblem problem;
  AttentionMatrices grad;
  const float* log_sum_exp;
  const float* grad_sums;
};

/// gradient = that of query.
void query_gradient(const AttentionBackward& attention, const AttentionMatrices& gradient);

/// The gradients of key and value.
void key_gradients(const AttentionBackward& attention, const AttentionMatrices& key,
                   const AttentionMatrices& value);

}  // namespace lectern::kernels::cuda
