#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "distributed/divided_module.h"
#include "nn/embedding.h"

namespace lectern::distributed {

struct VocabParallelEmbeddingOptions {
  Group group = nullptr;  ///< all ranks
  std::optional<Dtype> dtype = {};
};

/// nn::Embedding of which each of n ranks has num_embeddings / n rows, with Megatron's name: indices, the
/// same on all ranks, select rows, of which each rank adds its own.
///
/// Forward moves what all_reduce of the result does, backward nothing. The results are nn::Embedding's, and
/// so are the random values with the same seed; the whole weight exists while the constructor runs. A
/// TensorError unless the ranks divide num_embeddings, and for an index that is in no rank's part.
class VocabParallelEmbedding : public DividedModule {
 public:
  VocabParallelEmbedding(std::int64_t num_embeddings, std::int64_t embedding_dim,
                         const VocabParallelEmbeddingOptions& options = {});
  /// A part of this one, copied. A TensorError for one with padding_idx or max_norm.
  explicit VocabParallelEmbedding(const nn::Embedding& whole,
                                  const VocabParallelEmbeddingOptions& options = {});

  Tensor operator()(const Tensor& indices) const;

  std::int64_t num_embeddings() const { return num_embeddings_; }
  std::int64_t embedding_dim() const { return weight.size(1); }
  std::optional<std::int64_t> divided_dim(std::string_view parameter) const override;
  std::string extra_repr() const override;

  nn::Parameter weight;  ///< [num_embeddings / n, embedding_dim]

 private:
  std::int64_t num_embeddings_;
};

}  // namespace lectern::distributed
