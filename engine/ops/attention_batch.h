#pragma once

#include <cmath>
#include <string_view>

#include "ops/attention.h"

// Shared by the composed and the fused implementation.

namespace lectern {

inline constexpr std::string_view kAttention = "scaled_dot_product_attention";

inline bool is_added_mask(const Tensor& mask) {
  return mask.defined() && mask.dtype() != bool_;
}

inline double attention_scale(const Tensor& query, const AttentionOptions& options) {
  return options.scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
}

/// The leading dimensions of the result.
inline Sizes attention_batch(const Tensor& query, const Tensor& key, const Tensor& value) {
  const auto leading = [](const Tensor& x) {
    return Sizes(std::span<const std::int64_t>(x.sizes()).first(x.sizes().size() - 2));
  };
  return broadcast_sizes(kAttention, broadcast_sizes(kAttention, leading(query), leading(key)),
                         leading(value));
}

}  // namespace lectern
