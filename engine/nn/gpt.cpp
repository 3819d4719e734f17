#include "nn/gpt.h"

#include <cmath>
#include <string>

#include "base/tensor_error.h"
#include "nn/init.h"
#include "ops/elementwise.h"
#include "ops/linear_cross_entropy.h"
#include "tensor/creation.h"

namespace lectern::nn {

std::int64_t GPTConfig::num_parameters() const {
  return (vocab_size + context_length) * width + layers * (12 * width * width + 13 * width) + 2 * width;
}

std::int64_t GPTConfig::flops_per_token(std::int64_t time) const {
  return layers * (24 * width * width + 2 * width * (time + 1)) + 2 * vocab_size * width;
}

GPT::GPT(const GPTConfig& config)
    : token_embedding(config.vocab_size, config.width, {.dtype = config.dtype, .device = config.device}),
      position_embedding(config.context_length, config.width,
                         {.dtype = config.dtype, .device = config.device}),
      dropout(config.dropout),
      blocks(
          config.layers, config.width, config.heads,
          TransformerBlockOptions{.dropout = config.dropout, .dtype = config.dtype, .device = config.device}),
      norm(config.width, {.dtype = config.dtype, .device = config.device}),
      head(token_embedding.weight),
      config_(config) {
  LECTERN_REGISTER(token_embedding, position_embedding, dropout, blocks, norm, head);
  const double std = 0.02;
  const double std_of_sum = std / std::sqrt(2.0 * static_cast<double>(config.layers));
  for (const auto& [name, parameter] : named_parameters()) {
    const bool is_added = name.ends_with("out_proj.weight") || name.ends_with("linear2.weight");
    if (parameter.dim() == 2) init::normal_(parameter, 0, is_added ? std_of_sum : std);
    if (name.ends_with("bias")) init::zeros_(parameter);
  }
}

Tensor GPT::embedded(const Tensor& tokens, std::int64_t before) const {
  if (tokens.dim() != 2) {
    throw TensorError("GPT", "the shape of the tokens", "[batch, time]", to_string(tokens.sizes()));
  }
  const std::int64_t time = before + tokens.size(1);
  if (time > config_.context_length) {
    throw TensorError("GPT", "the sequence length",
                      "at most context_length, " + std::to_string(config_.context_length),
                      std::to_string(time));
  }
  const Tensor positions = arange(before, time, 1, {.device = tokens.device()});
  return token_embedding(tokens) + position_embedding(positions);
}

Tensor GPT::features(const Tensor& tokens) const {
  Tensor x = dropout(embedded(tokens, 0));
  for (const TransformerBlock& block : blocks) x = block(x, {.is_causal = true});
  return norm(x);
}

Tensor GPT::operator()(const Tensor& tokens) const {
  return hooked(tokens, [&](const Tensor& in) { return head(features(in)); });
}

Tensor GPT::next_logits(const Tensor& tokens, std::int64_t before, std::vector<KeyValueCache>& caches) const {
  if (caches.size() != blocks.size()) {
    throw TensorError("GPT", "the number of caches", "that of the blocks, " + std::to_string(blocks.size()),
                      std::to_string(caches.size()));
  }
  Tensor x = embedded(tokens, before);
  for (std::size_t i = 0; i < caches.size(); ++i) x = blocks[i](x, caches[i]);
  return head(norm(x.select(1, -1)));
}

Tensor GPT::loss(const Tensor& tokens, const Tensor& targets, const ClassLossOptions& options) const {
  return linear_cross_entropy(features(tokens), head.weight, targets, options);
}

}  // namespace lectern::nn
