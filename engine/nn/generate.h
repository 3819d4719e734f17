#pragma once

#include <cstdint>

#include "nn/gpt.h"
#include "ops/sampling.h"

namespace lectern::nn {

/// `prompt`, int64 [batch, time] of one token or more, continued by `max_new_tokens`, each sampled
/// (ops/sampling.h) from the model's logits for the last one: [batch, time + max_new_tokens]. The tokens'
/// keys and values are kept (nn/kv_cache.h), so that a new token costs one pass over it and its attention to
/// those before. Without dropout, and no gradients. A TensorError when they are more than the context_length
/// together.
Tensor generate(const GPT& model, const Tensor& prompt, std::int64_t max_new_tokens,
                const SamplingOptions& options = {});

}  // namespace lectern::nn
