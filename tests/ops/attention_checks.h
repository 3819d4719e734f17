#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/attention.h"
#include "ops/elementwise.h"
#include "ops/gradients_of.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "tensor/item.h"

namespace lectern::test {

inline Tensor random_matrices(const Sizes& sizes, Dtype dtype = bfloat16) {
  return randn(sizes, {.dtype = dtype});
}

inline Tensor wide(const Tensor& x) {
  return x.to(cpu).to(x.dtype() == bool_ ? bool_ : float64);
}

inline AttentionOptions wide(const AttentionOptions& options) {
  AttentionOptions result = options;
  if (options.attn_mask.defined()) result.attn_mask = wide(options.attn_mask);
  return result;
}

/// The largest difference, of the largest number, at least 0.1: what is 0 may be a rounding. Infinite where
/// one is NaN.
inline double difference(const Tensor& ours, const Tensor& wanted) {
  const double largest = wanted.abs().max().item<double>();
  const double found = (wide(ours) - wanted).abs().max().item<double>();
  return std::isnan(found) ? HUGE_VAL : found / std::max(largest, 0.1);
}

/// Of a number of that dtype; of float32 with those of sums, which are of float32 always.
inline double rounding_of(Dtype dtype) {
  if (dtype == float32) return 0x1p-21;
  return dtype == bfloat16 ? 0x1p-8 : 0x1p-11;
}

/// check({query, key, value}), of random ones.
template <typename Check>
void check_operands(std::int64_t queries, std::int64_t keys, std::int64_t head, Dtype dtype,
                    const Check& check) {
  SCOPED_TRACE(std::to_string(queries) + " queries, " + std::to_string(keys) + " keys, head " +
               std::to_string(head) + ", " + std::string(name(dtype)));
  check({random_matrices({queries, head}, dtype), random_matrices({keys, head}, dtype),
         random_matrices({keys, head}, dtype)});
}

inline auto attend_with(const AttentionOptions& options) {
  return [options](const std::vector<Tensor>& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], options);
  };
}

/// From `grad`, within some roundings of their largest number of the composed ones in float64 on the CPU.
inline void expect_attention_gradients_close(const std::vector<Tensor>& gradients,
                                             const std::vector<Tensor>& inputs,
                                             const AttentionOptions& options, const Tensor& grad) {
  std::vector<Tensor> wide_inputs;
  for (const Tensor& input : inputs) wide_inputs.push_back(wide(input));
  const auto expected = gradients_of(attend_with(wide(options)), wide_inputs, wide(grad));
  // Of keys and values they are sums over the queries; in float32 these round like the elements.
  const double roundings = inputs[0].dtype() == float32 ? 8 : 3;
  const char* const names[] = {"query", "key", "value"};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(gradients[i].sizes(), inputs[i].sizes());
    EXPECT_LT(difference(gradients[i], expected[i]), roundings * rounding_of(inputs[0].dtype()))
        << "the gradient of " << names[i];
  }
}

/// Results and gradients within some roundings of their largest number of the composed ones in float64 on the
/// CPU.
inline void expect_attention_close(const std::vector<Tensor>& inputs, const AttentionOptions& options,
                                   AttentionBackend backend) {
  ASSERT_EQ(attention_backend(inputs[0], inputs[1], inputs[2], options), backend);
  const Tensor ours = attend_with(options)(inputs);
  const Tensor wanted =
      scaled_dot_product_attention(wide(inputs[0]), wide(inputs[1]), wide(inputs[2]), wide(options));
  EXPECT_EQ(ours.sizes(), wanted.sizes());
  EXPECT_EQ(ours.dtype(), inputs[0].dtype());
  EXPECT_LT(difference(ours, wanted), 2 * rounding_of(inputs[0].dtype())) << "the result";
  const Tensor grad = randn(ours.sizes(), {.dtype = ours.dtype()});
  expect_attention_gradients_close(gradients_of(attend_with(options), inputs, grad), inputs, options, grad);
  EXPECT_EQ(attention_backend(inputs[0], inputs[1], inputs[2], options), backend) << "given up";
}

}  // namespace lectern::test
