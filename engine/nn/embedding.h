#pragma once

#include <cstdint>
#include <optional>

#include "nn/module.h"

namespace lectern::nn {

struct EmbeddingOptions {
  /// A row of zeros that is not trained; from the end when negative.
  std::optional<std::int64_t> padding_idx = {};
  /// Rows of a larger norm are scaled to it, in the weight itself, when they are looked up.
  std::optional<double> max_norm = {};
  double norm_type = 2;               ///< of max_norm
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// A lookup table: int64 or int32 indices of any shape select rows of size embedding_dim, the result's last
/// dimension. Errors and costs are those of embedding() (ops/embedding.h).
///
/// The weight is initialised standard normal.
class Embedding : public Module {
 public:
  /// A TensorError when padding_idx is out of range, and for a negative max_norm.
  Embedding(std::int64_t num_embeddings, std::int64_t embedding_dim, const EmbeddingOptions& options = {});

  Tensor operator()(const Tensor& indices) const;

  std::int64_t num_embeddings() const { return weight.size(0); }
  std::int64_t embedding_dim() const { return weight.size(1); }
  /// Never negative.
  std::optional<std::int64_t> padding_idx() const { return padding_idx_; }
  std::optional<double> max_norm() const { return max_norm_; }
  std::string extra_repr() const override;

  Parameter weight;  ///< [num_embeddings, embedding_dim]

 private:
  std::optional<std::int64_t> padding_idx_;
  std::optional<double> max_norm_;
  double norm_type_;
};

}  // namespace lectern::nn
