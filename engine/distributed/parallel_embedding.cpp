#include "distributed/parallel_embedding.h"

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "distributed/parallel_regions.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/selection.h"
#include "tensor/creation.h"

namespace lectern::distributed {
namespace {

constexpr const char* kVocabParallel = "VocabParallelEmbedding";

}  // namespace

VocabParallelEmbedding::VocabParallelEmbedding(std::int64_t num_embeddings, std::int64_t embedding_dim,
                                               const VocabParallelEmbeddingOptions& options)
    : VocabParallelEmbedding(
          nn::Embedding(num_embeddings, embedding_dim, {.dtype = options.dtype, .device = cpu}), options) {}

VocabParallelEmbedding::VocabParallelEmbedding(const nn::Embedding& whole,
                                               const VocabParallelEmbeddingOptions& options)
    : DividedModule(options.group), num_embeddings_(whole.num_embeddings()) {
  if (whole.padding_idx() || whole.max_norm())
    throw TensorError(kVocabParallel, "padding_idx and max_norm are not supported");
  check_divides(kVocabParallel, "num_embeddings", num_embeddings_, group());
  weight = nn::Parameter(own_part(whole.weight, 0, group()));
  LECTERN_REGISTER(weight);
}

/// What no rank has stays out of range, for embedding() to refuse.
Tensor VocabParallelEmbedding::operator()(const Tensor& indices) const {
  return hooked(indices, [&](const Tensor& in) {
    const std::int64_t first = get_rank(group()) * weight.size(0);
    const Tensor is_elsewhere = in.lt(first).logical_or(in.ge(first + weight.size(0)));
    const Tensor is_known = in.ge(0).logical_and(in.lt(num_embeddings_));
    const Tensor own = where(is_elsewhere, where(is_known, zeros_like(in), in), in - first);
    const Tensor rows = embedding(own, weight).masked_fill(is_elsewhere.unsqueeze(-1), 0);
    return reduce_from_parallel_region(rows, group());
  });
}

std::optional<std::int64_t> VocabParallelEmbedding::divided_dim(std::string_view /*parameter*/) const {
  return 0;
}

std::string VocabParallelEmbedding::extra_repr() const {
  return fmt::format("{}, {}, ranks={}", num_embeddings_, embedding_dim(), get_world_size(group()));
}

}  // namespace lectern::distributed
