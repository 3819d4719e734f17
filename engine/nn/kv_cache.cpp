#include "nn/kv_cache.h"

#include <string>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "ops/triangle.h"

namespace lectern::nn {
namespace {

constexpr std::string_view kKeyValueCache = "KeyValueCache";

}  // namespace

KeyValueCache::KeyValueCache(std::int64_t batch, std::int64_t heads, std::int64_t max_seq_len,
                             std::int64_t head_dim, const TensorOptions& options)
    : keys_(empty({batch, heads, max_seq_len, head_dim}, options)),
      values_(empty({batch, heads, max_seq_len, head_dim}, options)) {}

void KeyValueCache::append(const Tensor& key, const Tensor& value) {
  Sizes expected = keys_.sizes();
  expected[2] = key.dim() == 4 ? key.size(2) : 0;
  if (key.sizes() != expected || value.sizes() != expected) {
    throw TensorError(kKeyValueCache, "key and value",
                      "of shape [" + std::to_string(keys_.size(0)) + ", " + std::to_string(keys_.size(1)) +
                          ", time, " + std::to_string(keys_.size(3)) + "]",
                      to_string(key.sizes()) + " and " + to_string(value.sizes()));
  }
  const std::int64_t time = key.size(2);
  if (time > max_seq_len() - length_) {
    throw TensorError(kKeyValueCache, "the number of tokens",
                      "at most max_seq_len, " + std::to_string(max_seq_len()),
                      std::to_string(length_ + time));
  }
  const NoGradGuard no_grad;
  keys_.narrow(2, length_, time).copy_(key);
  values_.narrow(2, length_, time).copy_(value);
  length_ += time;
}

Tensor KeyValueCache::attend(const Tensor& query, const Tensor& key, const Tensor& value) {
  const std::int64_t before = length_;
  append(key, value);
  try {
    return attention(query, before);
  } catch (...) {
    length_ = before;
    throw;
  }
}

Tensor KeyValueCache::attention(const Tensor& query, std::int64_t before) const {
  const std::int64_t time = length_ - before;
  if (query.dim() != 4 || query.size(2) != time) {
    throw TensorError(kKeyValueCache, "query", "of as many tokens as the keys, " + std::to_string(time),
                      "of shape " + to_string(query.sizes()));
  }
  const NoGradGuard no_grad;
  AttentionOptions options{.is_causal = before == 0 && time > 1,
                           .enable_gqa = query.size(1) != keys_.size(1)};
  if (before > 0 && time > 1)  // is_causal would be of the first keys, not of the last
    options.attn_mask = tril(ones({time, length_}, {.dtype = bool_, .device = query.device()}), before);
  return scaled_dot_product_attention(query, keys(), values(), options);
}

void KeyValueCache::truncate(std::int64_t length) {
  if (length < 0 || length > length_)
    throw TensorError(kKeyValueCache, "length", "from 0 to that of the tokens, " + std::to_string(length_),
                      std::to_string(length));
  length_ = length;
}

}  // namespace lectern::nn
