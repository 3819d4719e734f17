#include "ops/attention_composed.h"

#include <algorithm>
#include <limits>

#include "ops/attention_batch.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/triangle.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

constexpr std::int64_t kQueryBlock = 64;  ///< per block
constexpr double kMasked = -std::numeric_limits<double>::infinity();

/// x expanded to the leading dimensions, in the compute dtype.
Tensor expanded(const Tensor& x, const Sizes& batch) {
  return x.to(compute_dtype(x.dtype())).expand(concat(batch, {x.size(-2), x.size(-1)}));
}

}  // namespace

ComposedAttention::ComposedAttention(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const AttentionOptions& options)
    : batch_(attention_batch(query, key, value)),
      query_(expanded(query, batch_)),
      key_(expanded(key, batch_)),
      value_(expanded(value, batch_)),
      is_causal_(options.is_causal),
      scale_(attention_scale(query, options)) {
  if (!options.attn_mask.defined()) return;
  const Tensor& mask = options.attn_mask;
  const Sizes pairs = concat(batch_, {query.size(-2), key.size(-2)});
  if (is_added_mask(mask)) {
    added_ = mask.to(compute_dtype(mask.dtype())).expand(pairs);
  } else {
    hidden_ = mask.logical_not().expand(pairs);
  }
}

template <typename Visit>
void ComposedAttention::for_each_block(const Visit& visit) const {
  const std::int64_t queries = query_.size(-2), keys = key_.size(-2);
  for (std::int64_t begin = 0; begin < queries; begin += kQueryBlock) {
    const std::int64_t count = std::min(kQueryBlock, queries - begin);
    visit(begin, count, is_causal_ ? std::min(keys, begin + count) : keys);
  }
}

Tensor ComposedAttention::forward() const {
  const Sizes sizes = concat(batch_, {query_.size(-2), value_.size(-1)});
  const Tensor out = empty(sizes, {.dtype = query_.dtype(), .device = query_.device()});
  for_each_block([&](std::int64_t begin, std::int64_t count, std::int64_t keys) {
    const Tensor made = matmul(weights(scaled(begin, count), begin, keys), value_.narrow(-2, 0, keys));
    out.narrow(-2, begin, count).copy_(made);
  });
  return out;
}

ComposedAttention::Gradient ComposedAttention::backward(const Tensor& grad, bool needs_added) const {
  const Gradient sums{
      zeros_like(query_.contiguous()), zeros_like(key_.contiguous()), zeros_like(value_.contiguous()),
      needs_added ? zeros(added_.sizes(), {.dtype = added_.dtype(), .device = added_.device()}) : Tensor()};
  for_each_block([&](std::int64_t begin, std::int64_t count, std::int64_t keys) {
    const Tensor block_grad = grad.narrow(-2, begin, count), block_query = scaled(begin, count);
    const Tensor block_key = key_.narrow(-2, 0, keys), block_value = value_.narrow(-2, 0, keys);
    const Tensor probabilities = weights(block_query, begin, keys);
    const Tensor score_grad = softmax_backward(matmul(block_grad, block_value.mT()), probabilities, -1);
    sums.query.narrow(-2, begin, count).copy_(matmul(score_grad, block_key).mul_(scale_));
    sums.key.narrow(-2, 0, keys).add_(matmul(score_grad.mT(), block_query));
    sums.value.narrow(-2, 0, keys).add_(matmul(probabilities.mT(), block_grad));
    if (needs_added) sums.added.narrow(-2, begin, count).narrow(-1, 0, keys).copy_(score_grad);
  });
  return sums;
}

Tensor ComposedAttention::scaled(std::int64_t begin, std::int64_t count) const {
  return query_.narrow(-2, begin, count) * scale_;
}

Tensor ComposedAttention::weights(const Tensor& block_query, std::int64_t begin, std::int64_t keys) const {
  const auto in_block = [&](const Tensor& pairs) {
    return pairs.narrow(-2, begin, block_query.size(-2)).narrow(-1, 0, keys);
  };
  const Tensor scores = matmul(block_query, key_.narrow(-2, 0, keys).mT());
  if (added_.defined()) scores.add_(in_block(added_));
  if (is_causal_ && keys > begin) {
    const Tensor later =
        ones({block_query.size(-2), keys - begin}, {.dtype = bool_, .device = scores.device()}).triu(1);
    scores.narrow(-1, begin, keys - begin).masked_fill_(later, kMasked);
  }
  if (hidden_.defined()) scores.masked_fill_(in_block(hidden_), kMasked);
  return softmax(scores, -1);
}

}  // namespace lectern
