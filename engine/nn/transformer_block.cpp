#include "nn/transformer_block.h"

#include "ops/elementwise.h"

namespace lectern::nn {

TransformerBlock::TransformerBlock(std::int64_t d_model, std::int64_t nhead,
                                   const TransformerBlockOptions& options)
    : self_attn(d_model, nhead,
                {.dropout = options.dropout,
                 .batch_first = true,
                 .dtype = options.dtype,
                 .device = options.device}),
      linear1(d_model, options.dim_feedforward.value_or(4 * d_model),
              {.dtype = options.dtype, .device = options.device}),
      dropout(options.dropout),
      linear2(linear1.out_features(), d_model, {.dtype = options.dtype, .device = options.device}),
      norm1(d_model, {.dtype = options.dtype, .device = options.device}),
      norm2(d_model, {.dtype = options.dtype, .device = options.device}),
      dropout1(options.dropout),
      dropout2(options.dropout) {
  LECTERN_REGISTER(self_attn, linear1, dropout, linear2, norm1, norm2, dropout1, dropout2);
}

Tensor TransformerBlock::operator()(const Tensor& x, const AttentionMasks& masks) const {
  return hooked(x, [&](const Tensor& in) {
    const Tensor normal = norm1(in);
    const Tensor attended = in + dropout1(self_attn(normal, normal, normal, masks));
    return attended + dropout2(linear2(dropout(gelu(linear1(norm2(attended))))));
  });
}

Tensor TransformerBlock::operator()(const Tensor& x, KeyValueCache& cache) const {
  const Tensor attended = x + self_attn(norm1(x), cache);
  return attended + linear2(gelu(linear1(norm2(attended))));
}

}  // namespace lectern::nn
