#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "kernels/attention.h"
#include "kernels/cuda/cudnn_attention_graph.h"

namespace lectern::kernels::cuda {

/// How the dimensions of a problem's batch become cuDNN's two: those before `split`, of more than one
/// element, are the batch and the others the heads, of which each of keys and values serves `group`
/// consecutive ones of queries.
class AttentionFolding {
 public:
  /// Of what has a matrix for each query head.
  AttentionShape queries(const AttentionProblem& problem, const AttentionMatrices& matrices) const;
  /// Of what has a matrix for each key head.
  AttentionShape keys(const AttentionProblem& problem, const AttentionMatrices& matrices) const;

 private:
  friend std::optional<AttentionFolding> attention_folding(const AttentionProblem&,
                                                           std::initializer_list<const AttentionMatrices*>,
                                                           std::initializer_list<const AttentionMatrices*>);
  using Matrices = std::initializer_list<const AttentionMatrices*>;

  AttentionFolding(const AttentionProblem& problem);
  bool folds_at(std::size_t split, const AttentionProblem& problem, Matrices queries, Matrices keys) const;
  AttentionShape shape(const AttentionMatrices& matrices, std::int64_t heads, std::int64_t rows,
                       std::int64_t columns, std::int64_t head_stride) const;
  std::int64_t product(const AttentionProblem& problem, std::size_t begin, std::size_t end) const;

  std::array<std::size_t, kAttentionBatchRank> dims_{};  ///< of more than one element, but for the group's
  std::size_t count_ = 0, split_ = 0;
  std::size_t group_dim_ = 0;
  std::int64_t group_ = 1, batch_ = 1, heads_ = 1;  ///< heads of keys
};

/// None if the strides allow none, of the problem's matrices and of these, one for each query head and one
/// for each key head.
std::optional<AttentionFolding> attention_folding(const AttentionProblem& problem,
                                                  std::initializer_list<const AttentionMatrices*> queries,
                                                  std::initializer_list<const AttentionMatrices*> keys = {});

}  // namespace lectern::kernels::cuda
