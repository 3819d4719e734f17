#include "nn/embedding.h"

#include "base/tensor_error.h"
#include "nn/init.h"
#include "nn/repr.h"
#include "ops/embedding.h"
#include "tensor/creation.h"

namespace lectern::nn {

Embedding::Embedding(std::int64_t num_embeddings, std::int64_t embedding_dim, const EmbeddingOptions& options)
    : padding_idx_(options.padding_idx), max_norm_(options.max_norm), norm_type_(options.norm_type) {
  if (padding_idx_ && (*padding_idx_ < -num_embeddings || *padding_idx_ >= num_embeddings)) {
    throw TensorError("Embedding", "padding_idx",
                      "within the " + std::to_string(num_embeddings) + " embeddings",
                      std::to_string(*padding_idx_));
  }
  if (max_norm_ && !(*max_norm_ >= 0))
    throw TensorError("Embedding", "max_norm", "0 or more", std::to_string(*max_norm_));
  weight =
      Parameter(empty({num_embeddings, embedding_dim}, {.dtype = options.dtype, .device = options.device}));
  LECTERN_REGISTER(weight);
  init::normal_(weight);
  if (!padding_idx_) return;
  if (*padding_idx_ < 0) *padding_idx_ += num_embeddings;
  init::zeros_(weight.detach()[*padding_idx_]);
}

Tensor Embedding::operator()(const Tensor& indices) const {
  return hooked(indices,
                [&](const Tensor& in) { return embedding(in, weight, padding_idx_, max_norm_, norm_type_); });
}

std::string Embedding::extra_repr() const {
  std::string text = std::to_string(num_embeddings()) + ", " + std::to_string(embedding_dim());
  if (padding_idx_) text += ", padding_idx=" + std::to_string(*padding_idx_);
  if (max_norm_) text += ", max_norm=" + repr(*max_norm_);
  if (norm_type_ != 2) text += ", norm_type=" + repr(norm_type_);
  return text;
}

}  // namespace lectern::nn
