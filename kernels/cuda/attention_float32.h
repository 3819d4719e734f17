#pragma once

#include "kernels/cuda/attention_backward.h"

// Attention of float32 (kernels/attention.h), by fused multiply-adds: tensor cores would round its operands.

namespace lectern::kernels::cuda {

/// fused_attention() of a problem of float32.
void float32_attention(const AttentionProblem& problem, const AttentionMatrices& out, float* log_sum_exp);

/// query_gradient() and key_gradients() of one.
void float32_query_gradient(const AttentionBackward& attention, const AttentionMatrices& gradient);
void float32_key_gradients(const AttentionBackward& attention, const AttentionMatrices& key,
                           const AttentionMatrices& value);

}  // namespace lectern::kernels::cuda
