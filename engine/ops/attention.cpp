#include "ops/attention.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/attention_batch.h"
#include "ops/attention_composed.h"
#include "ops/attention_fused.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/devices.h"
#include "ops/reductions.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

void check(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  const auto shapes = [&] {
    return to_string(query.sizes()) + ", " + to_string(key.sizes()) + " and " + to_string(value.sizes());
  };
  if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2)
    throw TensorError(kAttention, "query, key and value", "of two dimensions or more", "of " + shapes());
  if (query.size(-1) != key.size(-1) || key.size(-2) != value.size(-2)) {
    throw TensorError(kAttention, "the shapes of query, key and value", "[…, L, E], […, S, E] and […, S, Ev]",
                      shapes());
  }
  for (const Tensor* other : {&key, &value}) {
    check_same_device(kAttention, query, *other);
    if (other->dtype() != query.dtype() || !query.is_floating_point()) {
      throw TensorError(kAttention, "the dtypes", "floating and the same",
                        std::string(name(query.dtype())) + " and " + std::string(name(other->dtype())));
    }
  }
  if (mask.defined() && mask.dtype() != bool_ && mask.dtype() != query.dtype()) {
    throw TensorError(kAttention, "the dtype of attn_mask", "bool or " + std::string(name(query.dtype())),
                      name(mask.dtype()));
  }
  if (mask.defined()) check_same_device(kAttention, query, mask);
}

/// Counts attention's cost: floating-point operations per query–key pair and per element of the queries;
/// bytes read and `made`.
void count_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                     const AttentionOptions& options, std::int64_t pair_flops, std::int64_t element_flops,
                     std::int64_t made) {
  const std::int64_t queries = query.size(-2), keys = key.size(-2);
  const std::int64_t rising = options.is_causal ? std::min(queries, keys) : 0;  // with 1, 2, … keys
  const std::int64_t pairs = rising * (rising + 1) / 2 + (queries - rising) * keys;
  count(checked_numel(kAttention, attention_batch(query, key, value)) *
            ((pair_flops + (is_added_mask(options.attn_mask) ? 1 : 0)) * pairs +
             element_flops * queries * query.size(-1)),
        bytes_in_memory(query) + bytes_in_memory(key) + bytes_in_memory(value) +
            bytes_in_memory(options.attn_mask) + made);
}

void count_forward(const Tensor& query, const Tensor& key, const Tensor& value,
                   const AttentionOptions& options, const Tensor& out) {
  count_attention(query, key, value, options, 2 * query.size(-1) + 2 * value.size(-1) + 5, 1, out.nbytes());
}

/// Gradients count as they are before they are summed over the batch, in the compute dtype.
void count_backward(const Tensor& query, const Tensor& key, const Tensor& value,
                    const AttentionOptions& options, const Tensor& grad, bool needs_mask) {
  const std::int64_t queries = query.size(-2), keys = key.size(-2), columns = query.size(-1);
  const std::int64_t elements =
      queries * columns + keys * (columns + value.size(-1)) + (needs_mask ? queries * keys : 0);
  count_attention(query, key, value, options, 6 * columns + 4 * value.size(-1) + 9, 2,
                  bytes_in_memory(grad) + checked_numel(kAttention, attention_batch(query, key, value)) *
                                              elements * element_size(compute_dtype(query.dtype())));
}

Tensor attend_composed(const Tensor& query, const Tensor& key, const Tensor& value,
                       const AttentionOptions& options) {
  return autograd::recorded(
      kAttention, {&query, &key, &value, &options.attn_mask},
      [&] {
        const Tensor out = uncounted(
            [&] { return ComposedAttention(query, key, value, options).forward().to(query.dtype()); });
        count_forward(query, key, value, options, out);
        return out;
      },
      [&] {
        return [query = Saved(query), key = Saved(key), value = Saved(value), mask = Saved(options.attn_mask),
                is_causal = options.is_causal,
                scale = options.scale](const Tensor& grad, Gradients& gradients) {
          const Tensor q = query.get(), k = key.get(), v = value.get();
          const AttentionOptions given{mask.get(), is_causal, scale};
          const bool needs_mask = gradients.needs(3);
          const auto sums = uncounted([&] {
            return ComposedAttention(q, k, v, given).backward(grad.to(compute_dtype(q.dtype())), needs_mask);
          });
          count_backward(q, k, v, given, grad, needs_mask);
          gradients.add(0, [&] { return sum_to(sums.query, q.sizes()).to(q.dtype()); });
          gradients.add(1, [&] { return sum_to(sums.key, k.sizes()).to(k.dtype()); });
          gradients.add(2, [&] { return sum_to(sums.value, v.sizes()).to(v.dtype()); });
          gradients.add(
              3, [&] { return sum_to(sums.added, given.attn_mask.sizes()).to(given.attn_mask.dtype()); });
        };
      });
}

Tensor attend_fused(const FusedAttention& attention, const Tensor& query, const Tensor& key,
                    const Tensor& value, const AttentionOptions& options) {
  FusedAttention::Result result;
  return autograd::recorded(
      kAttention, {&query, &key, &value, &options.attn_mask},
      [&] {
        result = uncounted([&] { return attention.forward(); });
        count_forward(query, key, value, options, result.out);
        return result.out;
      },
      [&](const Tensor& made) {
        return [query = Saved(query), key = Saved(key), value = Saved(value), mask = Saved(options.attn_mask),
                out = Saved(made), log_sum_exp = Saved(result.log_sum_exp), is_causal = options.is_causal,
                scale = options.scale,
                backend = attention.backend()](const Tensor& grad, Gradients& gradients) {
          const Tensor q = query.get(), k = key.get(), v = value.get();
          const AttentionOptions given{mask.get(), is_causal, scale};
          const auto sums = uncounted([&] {
            const FusedAttention fused(q, k, v, given, {backend});
            return fused.backward({out.get(), log_sum_exp.get()}, grad, gradients.needs(0),
                                  gradients.needs(1) || gradients.needs(2), fused.must_be_deterministic());
          });
          count_backward(q, k, v, given, grad, false);
          gradients.add(0, [&] { return sum_to(sums.query, q.sizes()); });
          gradients.add(1, [&] { return sum_to(sums.key, k.sizes()); });
          gradients.add(2, [&] { return sum_to(sums.value, v.sizes()); });
        };
      });
}

/// The heads of queries in groups, [key heads, query heads for each]; keys, values and masks beside them. A
/// group of one query each is a matrix of queries: keys are read once for all.
struct GroupedHeads {
  Tensor query, key, value;
  AttentionOptions options;
};

bool are_groups_matrices(const Tensor& query, const AttentionOptions& options) {
  return query.size(-2) == 1 && !options.attn_mask.defined() && !options.is_causal;
}

GroupedHeads grouped_heads(const Tensor& query, const Tensor& key, const Tensor& value,
                           const AttentionOptions& options) {
  const auto heads = [](const Tensor& x) { return x.dim() < 3 ? 0 : x.size(-3); };
  const std::int64_t key_heads = heads(key);
  if (heads(query) == 0 || key_heads == 0 || heads(value) != key_heads || heads(query) % key_heads != 0) {
    throw TensorError(
        kAttention, "the shapes with enable_gqa", "[…, n H, L, E], […, H, S, E] and […, H, S, Ev]",
        to_string(query.sizes()) + ", " + to_string(key.sizes()) + " and " + to_string(value.sizes()));
  }
  const Sizes groups{key_heads, heads(query) / key_heads};
  if (are_groups_matrices(query, options)) {
    return {query.unflatten(-3, groups).squeeze(-2), key, value, {.scale = options.scale}};
  }
  Tensor mask = options.attn_mask;
  if (mask.defined() && mask.dim() >= 3) {
    mask = mask.size(-3) == 1 ? mask.unsqueeze(-3) : mask.unflatten(-3, groups);
  }
  return {query.unflatten(-3, groups),
          key.unsqueeze(-3),
          value.unsqueeze(-3),
          {mask, options.is_causal, options.scale}};
}

void check_mask_shape(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  if (!mask.defined()) return;
  const Sizes pairs = concat(attention_batch(query, key, value), {query.size(-2), key.size(-2)});
  if (broadcast_sizes(kAttention, pairs, mask.sizes()) == pairs) return;
  throw TensorError(kAttention, "attn_mask", "broadcast to " + to_string(pairs),
                    "of shape " + to_string(mask.sizes()));
}

/// attend(query, key, value, options) with heads in groups and in autocast's dtype.
template <typename Result, typename Attend>
Result prepared(const Tensor& query, const Tensor& key, const Tensor& value, const AttentionOptions& options,
                const Attend& attend) {
  if (autocasts(query)) {
    return autocast(
        [&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
          return prepared<Result>(q, k, v, {mask, options.is_causal, options.scale, options.enable_gqa},
                                  attend);
        },
        query, key, value, options.attn_mask);
  }
  check(query, key, value, options.attn_mask);
  const GroupedHeads in = options.enable_gqa ? grouped_heads(query, key, value, options)
                                             : GroupedHeads{query, key, value, options};
  check_mask_shape(in.query, in.key, in.value, in.options.attn_mask);
  return attend(in.query, in.key, in.value, in.options);
}

constinit thread_local AttentionBackends allowed_backends{AttentionBackend::composed, AttentionBackend::flash,
                                                          AttentionBackend::cudnn};

/// A TensorError if none of the allowed backends supports the operands.
void check_backend(const FusedAttention& fused) {
  if (fused.backend() == AttentionBackend::composed && !allowed_backends.has(AttentionBackend::composed))
    throw TensorError(kAttention, "no backend that the SdpaKernelGuard allows can do this here");
}

}  // namespace

AttentionBackends allowed_attention_backends() {
  return allowed_backends;
}

SdpaKernelGuard::SdpaKernelGuard(AttentionBackends allowed) : ScopedValue(allowed_backends, allowed) {}

AttentionBackend attention_backend(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const AttentionOptions& options) {
  return prepared<AttentionBackend>(query, key, value, options, [](const auto&... given) {
    const FusedAttention fused(given..., allowed_backends);
    check_backend(fused);
    return fused.backend();
  });
}

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const AttentionOptions& options) {
  const Tensor out = prepared<Tensor>(query, key, value, options, [](const auto&... given) {
    const FusedAttention fused(given..., allowed_backends);
    check_backend(fused);
    return fused.backend() == AttentionBackend::composed ? attend_composed(given...)
                                                         : attend_fused(fused, given...);
  });
  if (!options.enable_gqa) return out;
  return (are_groups_matrices(query, options) ? out.unsqueeze(-2) : out).flatten(-4, -3);
}

}  // namespace lectern
