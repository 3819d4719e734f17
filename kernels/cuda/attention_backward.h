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

}  // namespace lectern::kernels::cuda
