#include "nn/generate.h"

#include <string>
#include <vector>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "nn/kv_cache.h"
#include "ops/join.h"

namespace lectern::nn {

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
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < max_new_tokens; ++i) {
    const Tensor logits = model.next_logits(next, before, caches);
    before += next.size(1);
    next = sample(logits, options).unsqueeze(1).to(prompt.dtype());
    tokens.push_back(next);
  }
  return cat(tokens, 1);
}

}  // namespace lectern::nn
