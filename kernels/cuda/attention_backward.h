#pragma once

#include "kernels/attention.h"
#include "kernels/cuda/attention_scores.h"

namespace lectern::kernels::cuda {

/// What the backward kernels share: of each query the logarithm, of base 2, of its weights' sum, and the
/// product of its result and that one's gradient.
struct AttentionBackward {
  AttentionProblem problem;
  AttentionMatrices grad;
  const float* log_sum_exp;
  const float* grad_sums;
};

/// Which dimensions of the batch share keys and values, with the size of the others as 1; and the other way.
struct BatchGroups {
  BatchSizes kept, shared;
};

/// Of the dimensions along which key and value both repeat.
inline BatchGroups groups_of(const AttentionProblem& problem) {
  BatchGroups groups{};
  for (std::size_t d = 0; d < kAttentionBatchRank; ++d) {
    const bool repeats = problem.key.batch[d] == 0 && problem.value.batch[d] == 0;
    groups.kept[d] = repeats ? 1 : problem.batch[d];
    groups.shared[d] = repeats ? problem.batch[d] : 1;
  }
  return groups;
}

/// gradient = that of query.
void query_gradient(const AttentionBackward& attention, const AttentionMatrices& gradient);

/// The gradients of key and value.
void key_gradients(const AttentionBackward& attention, const AttentionMatrices& key,
                   const AttentionMatrices& value);

/// Whether a block of this GPU may have the shared memory of the kernel below.
bool attention_gradients_fit();

/// All three, of 16-bit floats without a mask, in one pass that makes the scores once: 5 products for each
/// block of queries and keys, where the two above have 7. Several blocks add to query's gradient in float32,
/// in any order.
void gradients_in_any_order(const AttentionBackward& attention, const AttentionGradients& gradients);

}  // namespace lectern::kernels::cuda
