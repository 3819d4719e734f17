#include "ops/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/devices.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/triangle.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

constexpr std::string_view kOperation = "scaled_dot_product_attention";
constexpr std::int64_t kQueryBlock = 64;  ///< per block
constexpr double kMasked = -std::numeric_limits<double>::infinity();

void check(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  const auto shapes = [&] {
    return to_string(query.sizes()) + ", " + to_string(key.sizes()) + " and " + to_string(value.sizes());
  };
  if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2)
    throw TensorError(kOperation, "query, key and value", "of two dimensions or more", "of " + shapes());
  if (query.size(-1) != key.size(-1) || key.size(-2) != value.size(-2)) {
    throw TensorError(kOperation, "the shapes of query, key and value", "[…, L, E], […, S, E] and […, S, Ev]",
                      shapes());
  }
  for (const Tensor* other : {&key, &value}) {
    check_same_device(kOperation, query, *other);
    if (other->dtype() != query.dtype() || !query.is_floating_point()) {
      throw TensorError(kOperation, "the dtypes", "floating and the same",
                        std::string(name(query.dtype())) + " and " + std::string(name(other->dtype())));
    }
  }
  if (mask.defined() && mask.dtype() != bool_ && mask.dtype() != query.dtype()) {
    throw TensorError(kOperation, "the dtype of attn_mask", "bool or " + std::string(name(query.dtype())),
                      name(mask.dtype()));
  }
}

Sizes leading(const Tensor& x) {
  return Sizes(std::span<const std::int64_t>(x.sizes()).first(x.sizes().size() - 2));
}

/// The leading dimensions of the result.
Sizes common_batch(const Tensor& query, const Tensor& key, const Tensor& value) {
  return broadcast_sizes(kOperation, broadcast_sizes(kOperation, leading(query), leading(key)),
                         leading(value));
}

/// x expanded to the leading dimensions, in the compute dtype.
Tensor expanded(const Tensor& x, const Sizes& batch) {
  return x.to(compute_dtype(x.dtype())).expand(concat(batch, {x.size(-2), x.size(-1)}));
}

bool is_added(const Tensor& mask) {
  return mask.defined() && mask.dtype() != bool_;
}

/// Counts attention's cost: floating-point operations per query–key pair and per element of the queries;
/// bytes read and `made`.
void count_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                     const AttentionOptions& options, std::int64_t pair_flops, std::int64_t element_flops,
                     std::int64_t made) {
  const std::int64_t queries = query.size(-2), keys = key.size(-2);
  const std::int64_t rising = options.is_causal ? std::min(queries, keys) : 0;  // with 1, 2, … keys
  const std::int64_t pairs = rising * (rising + 1) / 2 + (queries - rising) * keys;
  count(checked_numel(kOperation, common_batch(query, key, value)) *
            ((pair_flops + (is_added(options.attn_mask) ? 1 : 0)) * pairs +
             element_flops * queries * query.size(-1)),
        bytes_in_memory(query) + bytes_in_memory(key) + bytes_in_memory(value) +
            bytes_in_memory(options.attn_mask) + made);
}

/// Attention in blocks of queries, each with the keys that its last query sees.
class Attention {
 public:
  Attention(const Tensor& query, const Tensor& key, const Tensor& value, const AttentionOptions& options)
      : batch_(common_batch(query, key, value)),
        query_(expanded(query, batch_)),
        key_(expanded(key, batch_)),
        value_(expanded(value, batch_)),
        is_causal_(options.is_causal),
        scale_(options.scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))))) {
    if (!options.attn_mask.defined()) return;
    const Tensor& mask = options.attn_mask;
    const Sizes pairs = concat(batch_, {query.size(-2), key.size(-2)});
    check_same_device(kOperation, query, mask);
    if (is_added(mask)) {
      added_ = mask.to(compute_dtype(mask.dtype())).expand(pairs);
    } else {
      hidden_ = mask.expand(pairs).logical_not();
    }
  }

  Tensor forward() const {
    const Sizes sizes = concat(batch_, {query_.size(-2), value_.size(-1)});
    const Tensor out = empty(sizes, {.dtype = query_.dtype(), .device = query_.device()});
    for_each_block([&](std::int64_t begin, std::int64_t count, std::int64_t keys) {
      const Tensor made = matmul(weights(scaled(begin, count), begin, keys), value_.narrow(-2, 0, keys));
      out.narrow(-2, begin, count).copy_(made);
    });
    return out;
  }

  struct Gradient {
    Tensor query, key, value;
    Tensor added;  ///< undefined when not wanted
  };
  Gradient backward(const Tensor& grad, bool needs_added) const {
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

 private:
  template <typename Visit>
  void for_each_block(const Visit& visit) const {
    const std::int64_t queries = query_.size(-2), keys = key_.size(-2);
    for (std::int64_t begin = 0; begin < queries; begin += kQueryBlock) {
      const std::int64_t count = std::min(kQueryBlock, queries - begin);
      visit(begin, count, is_causal_ ? std::min(keys, begin + count) : keys);
    }
  }

  Tensor scaled(std::int64_t begin, std::int64_t count) const {
    return query_.narrow(-2, begin, count) * scale_;
  }

  Tensor weights(const Tensor& block_query, std::int64_t begin, std::int64_t keys) const {
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

  Sizes batch_;
  Tensor query_, key_, value_;
  Tensor hidden_, added_;  ///< boolean and additive mask; undefined: none
  bool is_causal_;
  double scale_;
};

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options) {
  if (autocasts(query)) {
    return autocast(
        [&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
          return scaled_dot_product_attention(q, k, v, {mask, options.is_causal, options.scale});
        },
        query, key, value, options.attn_mask);
  }
  check(query, key, value, options.attn_mask);
  return autograd::recorded(
      kOperation, {&query, &key, &value, &options.attn_mask},
      [&] {
        const Tensor out =
            uncounted([&] { return Attention(query, key, value, options).forward().to(query.dtype()); });
        count_attention(query, key, value, options, 2 * query.size(-1) + 2 * value.size(-1) + 5, 1,
                        out.nbytes());
        return out;
      },
      [&] {
        return
            [query = Saved(query), key = Saved(key), value = Saved(value), mask = Saved(options.attn_mask),
             is_causal = options.is_causal, scale = options.scale](const Tensor& grad, Gradients& gradients) {
              const Tensor q = query.get(), k = key.get(), v = value.get();
              const AttentionOptions given{mask.get(), is_causal, scale};
              const bool needs_mask = gradients.needs(3);
              const auto sums = uncounted([&] {
                return Attention(q, k, v, given).backward(grad.to(compute_dtype(q.dtype())), needs_mask);
              });
              count_attention(q, k, v, given, 6 * q.size(-1) + 4 * v.size(-1) + 9, 2,
                              bytes_in_memory(grad) + sums.query.nbytes() + sums.key.nbytes() +
                                  sums.value.nbytes() + (needs_mask ? sums.added.nbytes() : 0));
              gradients.add(0, [&] { return sum_to(sums.query, q.sizes()).to(q.dtype()); });
              gradients.add(1, [&] { return sum_to(sums.key, k.sizes()).to(k.dtype()); });
              gradients.add(2, [&] { return sum_to(sums.value, v.sizes()).to(v.dtype()); });
              gradients.add(
                  3, [&] { return sum_to(sums.added, given.attn_mask.sizes()).to(given.attn_mask.dtype()); });
            };
      });
}

}  // namespace lectern
