#include "ops/sampling.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/gather.h"
#include "ops/random.h"
#include "ops/scan.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/sort.h"

namespace lectern {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

void check_logits(std::string_view operation, const Tensor& logits) {
  if (logits.is_floating_point() && (logits.dim() == 1 || logits.dim() == 2) && logits.size(-1) > 0) return;
  throw TensorError(operation, "logits", "floating, of shape [categories] or [batch, categories]",
                    std::string(name(logits.dtype())) + " " + to_string(logits.sizes()));
}

}  // namespace

Tensor top_k_logits(const Tensor& logits, std::int64_t k) {
  check_logits("top_k_logits", logits);
  if (k <= 0) throw TensorError("top_k_logits", "k", "more than 0", std::to_string(k));
  const std::int64_t kept = std::min(k, logits.size(-1));
  const Tensor least = topk(logits.detach(), kept).values.narrow(-1, kept - 1, 1);
  return masked_fill(logits, logits.detach() < least, kImpossible);
}

Tensor top_p_logits(const Tensor& logits, double p) {
  check_logits("top_p_logits", logits);
  if (!(p > 0 && p <= 1)) throw TensorError("top_p_logits", "p", "above 0, and at most 1", std::to_string(p));
  const auto [sorted, order] = sort(logits.detach(), -1, true);
  const Tensor probabilities = softmax(sorted, -1, compute_dtype(sorted.dtype()));
  const Tensor before = cumsum(probabilities, -1).sub_(probabilities);
  const Tensor outside = before >= p;
  outside.narrow(-1, 0, 1).fill_(false);
  return masked_fill(logits, scatter(outside, -1, order, outside), kImpossible);
}

Tensor sample(const Tensor& logits, const SamplingOptions& options) {
  check_logits("sample", logits);
  if (!(options.temperature >= 0))
    throw TensorError("sample", "temperature", "0 or more", std::to_string(options.temperature));
  if (options.temperature == 0) return argmax(logits, -1);
  Tensor scores = logits.detach().to(compute_dtype(logits.dtype())) / options.temperature;
  if (options.top_k) scores = top_k_logits(scores, *options.top_k);
  if (options.top_p) scores = top_p_logits(scores, *options.top_p);
  return multinomial(softmax(scores, -1), 1, false, options.generator).squeeze(-1);
}

}  // namespace lectern
