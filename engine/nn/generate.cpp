#include "nn/generate.h"

#include <string>
#include <vector>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "nn/kv_cache.h"
#include "ops/elementwise.h"
#include "ops/join.h"
#include "ops/linear.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

/// A block on x [batch, time, width], which attends to all tokens in the cache as well.
Tensor cached_block(const TransformerBlock& block, const Tensor& x, KeyValueCache& cache) {
  const MultiheadAttention& attention = block.self_attn;
  const std::vector<Tensor> projected =
      linear(block.norm1(x), attention.in_proj_weight, attention.in_proj_bias).chunk(3, -1);
  const auto heads = [&](const Tensor& all) {
    return all.unflatten(-1, {attention.num_heads(), -1}).transpose(1, 2);
  };
  const Tensor read = cache.attend(heads(projected[0]), heads(projected[1]), heads(projected[2]));
  const Tensor attended = x + attention.out_proj(read.transpose(1, 2).flatten(2));
  return attended + block.linear2(gelu(block.linear1(block.norm2(attended))));
}

/// The logits of the last of the tokens, [batch, vocab_size].
Tensor next_logits(const GPT& model, const Tensor& tokens, std::vector<KeyValueCache>& caches) {
  const std::int64_t before = caches.empty() ? 0 : caches[0].length();
  const Tensor positions = arange(before, before + tokens.size(1), 1, {.device = tokens.device()});
  Tensor x = model.token_embedding(tokens) + model.position_embedding(positions);
  std::size_t layer = 0;
  for (const TransformerBlock& block : model.blocks) x = cached_block(block, x, caches[layer++]);
  return model.head(model.norm(x.select(1, -1)));
}

}  // namespace

Tensor generate(const GPT& model, const Tensor& prompt, std::int64_t max_new_tokens,
                const SamplingOptions& options) {
  if (prompt.dim() != 2 || prompt.size(1) == 0) {
    throw TensorError("generate", "prompt", "of shape [batch, time], of one token or more",
                      to_string(prompt.sizes()));
  }
  if (max_new_tokens < 0)
    throw TensorError("generate", "max_new_tokens", "0 or more", std::to_string(max_new_tokens));
  const GPTConfig& config = model.config();
  const std::int64_t all = prompt.size(1) + max_new_tokens;
  if (all > config.context_length) {
    throw TensorError("generate", "the prompt and the new tokens",
                      "at most context_length, " + std::to_string(config.context_length),
                      std::to_string(all));
  }
  const NoGradGuard no_grad;
  const Tensor& like = model.token_embedding.weight;
  std::vector<KeyValueCache> caches;
  for (std::int64_t layer = 0; layer < config.layers; ++layer)
    caches.emplace_back(prompt.size(0), config.heads, all, config.width / config.heads,
                        TensorOptions{.dtype = like.dtype(), .device = like.device()});
  std::vector<Tensor> tokens{prompt};
  Tensor next = prompt;
  for (std::int64_t i = 0; i < max_new_tokens; ++i) {
    next = sample(next_logits(model, next, caches), options).unsqueeze(1).to(prompt.dtype());
    tokens.push_back(next);
  }
  return cat(tokens, 1);
}

}  // namespace lectern::nn
