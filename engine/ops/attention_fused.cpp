#include "ops/attention_fused.h"

#include <algorithm>

#include "autograd/record.h"
#include "device/deterministic.h"
#include "ops/attention_batch.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

/// The matrices of a tensor of at most kAttentionBatchRank dimensions more than two. The stride of a
/// dimension of one element is 0.
kernels::AttentionMatrices matrices_of(void* data, const Sizes& sizes, const Sizes& strides) {
  const std::size_t dims = sizes.size();
  const auto stride = [&](std::size_t dim) { return sizes[dim] == 1 ? 0 : strides[dim]; };
  kernels::AttentionMatrices matrices;
  matrices.data = data;
  matrices.row = stride(dims - 2);
  matrices.column = sizes.back() == 1 ? 1 : strides.back();
  for (std::size_t d = 0; d < dims - 2; ++d)
    matrices.batch[kernels::kAttentionBatchRank - (dims - 2) + d] = stride(d);
  return matrices;
}

kernels::AttentionMatrices matrices_of(const Tensor& x) {
  return matrices_of(x.data_ptr(), x.sizes(), x.strides());
}

/// x, or a copy that the kernels read.
Tensor with_rows(const Tensor& x) {
  if (kernels::has_attention_rows(matrices_of(x), x.dtype())) return x;
  const Tensor copy = empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()});
  return copy.copy_(x);
}

/// The strides of a dense tensor of `sizes` with its dimensions in memory in the order of those of `like`,
/// expanded to them, if that has the last one there too.
Sizes strides_in_order_of(const Tensor& like, const Sizes& sizes) {
  const auto& strides = like.strides();
  if (std::find(strides.begin(), strides.end(), 0) == strides.end()) {
    const std::int64_t* const operand = strides.begin();
    Sizes dense = result_strides(sizes, {&operand, 1});
    if (dense.back() == 1) return dense;
  }
  return contiguous_strides(sizes);
}

Tensor empty_in_order_of(const Tensor& like, const Sizes& sizes) {
  return empty_dense(kAttention, like.dtype(), like.device(), sizes, strides_in_order_of(like, sizes));
}

/// The sizes of the gradient of key or value: 1 along dimensions of the batch where both repeat.
Sizes summed_sizes(const Tensor& key, const Tensor& value, const Tensor& operand) {
  Sizes sizes = operand.sizes();
  for (std::int64_t d = 0; d < operand.dim() - 2; ++d) {
    if (key.stride(d) == 0 && value.stride(d) == 0) sizes[static_cast<std::size_t>(d)] = 1;
  }
  return sizes;
}

}  // namespace

FusedAttention::FusedAttention(const Tensor& query, const Tensor& key, const Tensor& value,
                               const AttentionOptions& options, AttentionBackends allowed)
    : batch_(attention_batch(query, key, value)),
      query_(query),
      key_(key),
      value_(value),
      is_causal_(options.is_causal),
      scale_(attention_scale(query, options)) {
  const Tensor& mask = options.attn_mask;
  if (!query.is_cuda() || batch_.size() > kernels::kAttentionBatchRank || query.size(-1) != value.size(-1))
    return;
  if (is_added_mask(mask) && autograd::records(mask)) return;  // stored for all pairs anyway
  const NoGradGuard no_grad;
  const auto expand = [&](const Tensor& x) { return x.expand(concat(batch_, {x.size(-2), x.size(-1)})); };
  query_ = expand(query);
  key_ = expand(key);
  value_ = expand(value);
  if (mask.defined()) mask_ = mask.expand(concat(batch_, {query.size(-2), key.size(-2)}));
  if (!kernels::fused_attention_takes(kAttention, query.device(), problem())) return;
  query_ = expand(with_rows(query));
  key_ = expand(with_rows(key));
  value_ = expand(with_rows(value));
  backend_ = choose(allowed);
}

AttentionBackend FusedAttention::choose(AttentionBackends allowed) const {
  // Shorter attention takes so little time that cuDNN's plans are not worth theirs.
  constexpr std::int64_t kLeastLength = 512;
  const bool has_flash = allowed.has(AttentionBackend::flash);
  const bool is_long = std::min(query_.size(-2), key_.size(-2)) >= kLeastLength;
  if (allowed.has(AttentionBackend::cudnn) && (is_long || !has_flash) && !mask_.defined() &&
      !are_deterministic_algorithms_enabled() &&
      kernels::library_attention_takes(kAttention, query_.device(), problem(),
                                       matrices_of(nullptr, query_.sizes(), out_strides()))) {
    return AttentionBackend::cudnn;
  }
  return has_flash ? AttentionBackend::flash : AttentionBackend::composed;
}

kernels::AttentionProblem FusedAttention::problem() const {
  kernels::AttentionProblem problem{
      .dtype = query_.dtype(),
      .batch = {},
      .queries = query_.size(-2),
      .keys = key_.size(-2),
      .head = query_.size(-1),
      .scale = scale_,
      .is_causal = is_causal_,
      .query = matrices_of(query_),
      .key = matrices_of(key_),
      .value = matrices_of(value_),
      .mask = mask_.defined() ? matrices_of(mask_) : kernels::AttentionMatrices{},
      .mask_is_added = is_added_mask(mask_)};
  problem.batch.fill(1);
  std::copy(batch_.begin(), batch_.end(), problem.batch.end() - static_cast<std::ptrdiff_t>(batch_.size()));
  return problem;
}

Sizes FusedAttention::out_strides() const {
  return strides_in_order_of(query_, query_.sizes());
}

FusedAttention::Result FusedAttention::forward() const {
  const Tensor out = empty_in_order_of(query_, query_.sizes());
  const Tensor log_sum_exp =
      empty(concat(batch_, {query_.size(-2)}), {.dtype = float32, .device = query_.device()});
  auto* const log_sums = static_cast<float*>(log_sum_exp.data_ptr());
  const bool is_done =
      backend_ == AttentionBackend::cudnn &&
      kernels::library_attention(kAttention, query_.device(), problem(), matrices_of(out), log_sums);
  if (!is_done) kernels::fused_attention(kAttention, query_.device(), problem(), matrices_of(out), log_sums);
  return {out, log_sum_exp};
}

bool FusedAttention::must_be_deterministic() const {
  return are_deterministic_algorithms_enabled() || query_.size(-2) * key_.size(-2) < kernels::kManyPairs;
}

FusedAttention::Gradient FusedAttention::backward(const Result& result, const Tensor& grad, bool needs_query,
                                                  bool needs_keys, bool is_deterministic) const {
  const bool tries_library = backend_ == AttentionBackend::cudnn;  // which makes all three
  Gradient made;
  kernels::AttentionGradients gradients;
  if (needs_query || tries_library) {
    made.query = empty_in_order_of(query_, query_.sizes());
    gradients.query = matrices_of(made.query);
  }
  if (needs_keys || tries_library) {
    made.key = empty_in_order_of(key_, summed_sizes(key_, value_, key_));
    made.value = empty_in_order_of(value_, summed_sizes(key_, value_, value_));
    gradients.key = matrices_of(made.key);
    gradients.value = matrices_of(made.value);
  }
  const Tensor rows = with_rows(grad);
  const auto* const log_sums = static_cast<const float*>(result.log_sum_exp.data_ptr());
  const bool is_done = tries_library && kernels::library_attention_backward(
                                            kAttention, query_.device(), problem(), matrices_of(result.out),
                                            log_sums, matrices_of(rows), gradients);
  if (!is_done) {
    kernels::fused_attention_backward(kAttention, query_.device(), problem(), matrices_of(result.out),
                                      log_sums, matrices_of(rows), gradients, is_deterministic);
  }
  return made;
}

}  // namespace lectern
