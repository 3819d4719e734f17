#include "kernels/cuda/cudnn_folding.h"

#include <algorithm>

namespace lectern::kernels::cuda {
namespace {

/// Blocks of CUDA's grids have no more along two of their dimensions.
constexpr std::int64_t kMostMatrices = 65535;

}  // namespace

AttentionFolding::AttentionFolding(const AttentionProblem& problem) {
  for (std::size_t d = 0; d < problem.batch.size(); ++d) {
    if (problem.batch[d] > 1) dims_[count_++] = d;
  }
  if (count_ == 0) return;
  group_dim_ = dims_[count_ - 1];
  if (problem.key.batch[group_dim_] == 0 && problem.value.batch[group_dim_] == 0) {
    group_ = problem.batch[group_dim_];
    --count_;
  }
}

std::int64_t AttentionFolding::product(const AttentionProblem& problem, std::size_t begin,
                                       std::size_t end) const {
  std::int64_t product = 1;
  for (std::size_t i = begin; i < end; ++i) product *= problem.batch[dims_[i]];
  return product;
}

bool AttentionFolding::folds_at(std::size_t split, const AttentionProblem& problem, Matrices queries,
                                Matrices keys) const {
  const auto folds = [&](const AttentionMatrices& matrices, std::int64_t rows) {
    if (rows > 1 && matrices.row < problem.head) return false;  // they repeat or overlap
    for (std::size_t i = 0; i < count_; ++i) {
      const std::int64_t stride = matrices.batch[dims_[i]];
      if (stride <= 0) return false;
      const bool is_last_of_two = i + 1 == split || i + 1 == count_;
      if (!is_last_of_two && stride != problem.batch[dims_[i + 1]] * matrices.batch[dims_[i + 1]])
        return false;
    }
    return true;
  };
  const auto folds_group = [&](const AttentionMatrices& matrices) {
    if (group_ == 1) return true;
    const std::int64_t stride = matrices.batch[group_dim_];
    return stride > 0 && (split == count_ || matrices.batch[dims_[count_ - 1]] == group_ * stride);
  };
  return std::all_of(queries.begin(), queries.end(),
                     [&](const auto* matrices) {
                       return folds(*matrices, problem.queries) && folds_group(*matrices);
                     }) &&
         std::all_of(keys.begin(), keys.end(),
                     [&](const auto* matrices) { return folds(*matrices, problem.keys); }) &&
         folds(problem.key, problem.keys) && folds(problem.value, problem.keys);
}

AttentionShape AttentionFolding::shape(const AttentionMatrices& matrices, std::int64_t heads,
                                       std::int64_t rows, std::int64_t columns,
                                       std::int64_t head_stride) const {
  AttentionShape shape;
  shape.sizes = {batch_, heads, rows, columns};
  auto& strides = shape.strides;
  strides[3] = 1;
  strides[2] = rows > 1 ? matrices.row : columns;
  strides[1] = heads > 1 ? head_stride : rows * strides[2];
  strides[0] =
      batch_ > 1 ? matrices.batch[dims_[split_ - 1]] : std::max(heads * strides[1], rows * strides[2]);
  return shape;
}

AttentionShape AttentionFolding::queries(const AttentionProblem& problem,
                                         const AttentionMatrices& matrices) const {
  const std::size_t last = group_ > 1 || count_ == 0 ? group_dim_ : dims_[count_ - 1];
  return shape(matrices, heads_ * group_, problem.queries, problem.head, matrices.batch[last]);
}

AttentionShape AttentionFolding::keys(const AttentionProblem& problem,
                                      const AttentionMatrices& matrices) const {
  const std::size_t last = count_ == 0 ? group_dim_ : dims_[count_ - 1];
  return shape(matrices, heads_, problem.keys, problem.head, matrices.batch[last]);
}

std::optional<AttentionFolding> attention_folding(const AttentionProblem& problem,
                                                  std::initializer_list<const AttentionMatrices*> queries,
                                                  std::initializer_list<const AttentionMatrices*> keys) {
  AttentionFolding folding(problem);
  const std::size_t count = folding.count_;
  // The last dimension as the heads, if it can be; more of them then, and none at the end.
  for (std::size_t i = 0; i <= count; ++i) {
    const std::size_t split = i == count ? count : count - 1 - i;
    if (!folding.folds_at(split, problem, queries, keys)) continue;
    folding.split_ = split;
    folding.batch_ = folding.product(problem, 0, split);
    folding.heads_ = folding.product(problem, split, count);
    if (folding.batch_ > kMostMatrices || folding.heads_ * folding.group_ > kMostMatrices)
      return std::nullopt;
    return folding;
  }
  return std::nullopt;
}

}  // namespace lectern::kernels::cuda
