#pragma once

#include <cstdint>
#include <optional>

#include "tensor/tensor.h"

// Choosing the next token from logits [categories] or [batch, categories].

namespace lectern {

/// The logits with all but the k largest of each row at -infinity. Logits that equal the k-th stay, too.
Tensor top_k_logits(const Tensor& logits, std::int64_t k);

/// The logits with all at -infinity but the most likely ones of each row whose probabilities together first
/// reach p, the nucleus (Holtzman et al. 2020); always the most likely one. 0 < p ≤ 1. By sorting each row.
Tensor top_p_logits(const Tensor& logits, double p);

struct SamplingOptions {
  double temperature = 1;  ///< the logits are divided by it; 0: the most likely one
  std::optional<std::int64_t> top_k = {};
  std::optional<double> top_p = {};  ///< of what top_k leaves
  Generator* generator = nullptr;    ///< the device's default one
};

/// A category drawn for each row: int64, [] or [batch].
Tensor sample(const Tensor& logits, const SamplingOptions& options = {});

}  // namespace lectern
