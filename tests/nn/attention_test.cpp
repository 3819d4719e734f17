#include <limits>

#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "autograd/backward.h"
#include "nn/multihead_attention.h"
#include "nn/transformer_block.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/triangle.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

using test::expect_error;

const MultiheadAttentionOptions kBatchFirst = {.batch_first = true};

TEST(MultiheadAttention, ASequenceOrThreeEqualOnes) {
  const MultiheadAttention attention(8, 2, kBatchFirst);
  const Tensor x = randn({3, 4, 8});
  EXPECT_TRUE(attention(x, x, x).allclose(attention(x, x.clone(), x.clone()), 1e-4, 1e-6));
  EXPECT_TRUE(attention(x, x, x)[1].allclose(attention(x[1], x[1], x[1]), 1e-4, 1e-6));
}

TEST(MultiheadAttention, TimeComesFirstUnlessTheBatchDoes) {
  manual_seed(1);
  const MultiheadAttention first(8, 2, kBatchFirst);
  manual_seed(1);
  const MultiheadAttention second(8, 2);
  const Tensor x = randn({3, 4, 8}), y = randn({3, 5, 8});
  const Tensor expected = first(x, y, y);
  EXPECT_TRUE(second(x.transpose(0, 1), y.transpose(0, 1), y.transpose(0, 1))
                  .allclose(expected.transpose(0, 1), 1e-4, 1e-6));
}

TEST(MultiheadAttention, IsCausalIsTheMaskOfWhatComesLater) {
  MultiheadAttention attention(8, 2, {.dropout = 0.5, .batch_first = true});
  const Tensor x = randn({3, 4, 8});
  const Tensor later = ones({4, 4}, {.dtype = bool_}).triu(1);
  for (const bool training : {true, false}) {
    attention.train(training);
    manual_seed(1);
    const Tensor causal = attention(x, x, x, {.is_causal = true});
    manual_seed(1);
    EXPECT_TRUE(attention(x, x, x, {.attn_mask = later}).allclose(causal, 1e-4, 1e-6));
  }
}

TEST(MultiheadAttention, WhatIsPaddedIsNotSeen) {
  const MultiheadAttention attention(8, 4, kBatchFirst);
  const Tensor x = randn({2, 4, 8}), longer = x.clone();
  longer.narrow(1, 3, 1).fill_(100);
  const Tensor padding = arange(4).ge(3).expand({2, 4});
  EXPECT_TRUE(attention(x, longer, longer, {.key_padding_mask = padding})
                  .allclose(attention(x, x, x, {.key_padding_mask = padding}), 1e-4, 1e-6));
  const Tensor alone = attention(x, x, x, {.key_padding_mask = ones({2, 4}, {.dtype = bool_})});
  EXPECT_TRUE(alone.isnan().all().item<bool>());
}

TEST(MultiheadAttention, AMaskOfMinusInfinityHides) {
  const MultiheadAttention attention(8, 2, kBatchFirst);
  const Tensor x = randn({3, 4, 8});
  const Tensor later = ones({4, 4}, {.dtype = bool_}).triu(1), padding = arange(4).ge(3).expand({3, 4});
  const auto added = [](const Tensor& mask) {
    return zeros(mask.sizes()).masked_fill(mask, -std::numeric_limits<double>::infinity());
  };
  const Tensor expected = attention(x, x, x, {.attn_mask = later, .key_padding_mask = padding});
  for (const AttentionMasks& hidden :
       {AttentionMasks{added(later), padding}, AttentionMasks{later, added(padding)},
        AttentionMasks{added(later), added(padding)}}) {
    EXPECT_TRUE(attention(x, x, x, hidden).allclose(expected, 1e-5, 1e-6));
    EXPECT_TRUE(attention.with_weights(x, x, x, hidden).output.allclose(expected, 1e-4, 1e-6));
  }
}

TEST(MultiheadAttention, AMaskThatIsAddedHasAGradient) {
  const MultiheadAttention attention(8, 2, kBatchFirst);
  const Tensor x = randn({3, 4, 8});
  const Tensor mask = randn({4, 4}, {.requires_grad = true});
  const AttentionMasks hidden{.attn_mask = mask, .is_causal = true};
  const auto gradient = [&](const Tensor& output) { return autograd::grad({(output * x).sum()}, {mask})[0]; };
  const Tensor expected = gradient(attention.with_weights(x, x, x, hidden).output);
  EXPECT_GT(expected.abs().sum().item<double>(), 0);
  EXPECT_TRUE(gradient(attention(x, x, x, hidden)).allclose(expected, 1e-4, 1e-6));
}

TEST(MultiheadAttention, MasksAreAddedUnderAutocast) {
  MultiheadAttention attention(8, 2, {.dropout = 0.5, .batch_first = true});
  const Tensor x = randn({3, 4, 8}), mask = randn({4, 4});
  const AutocastGuard guard(default_device(), bfloat16);
  for (const bool training : {true, false}) {
    attention.train(training);
    EXPECT_EQ(attention(x, x, x, {.attn_mask = mask}).dtype(), bfloat16);
  }
}

TEST(MultiheadAttention, Refuses) {
  expect_error([] { MultiheadAttention(8, 3); },
               "MultiheadAttention: num_heads must be a divisor of embed_dim, 8, not 3");
  expect_error([] { MultiheadAttention(8, 0); },
               "MultiheadAttention: num_heads must be a divisor of embed_dim, 8, not 0");
  expect_error([] { MultiheadAttention(8, 2, {.dropout = 2}); },
               "MultiheadAttention: dropout must be in [0, 1], not 2.0");
  expect_error([] { MultiheadAttention(8, 2, {.kdim = -1, .vdim = 5}); },
               "MultiheadAttention: kdim and vdim must be 0 or more, not -1 and 5");
  const MultiheadAttention attention(8, 2, kBatchFirst);
  const Tensor x = zeros({3, 4, 8}), y = zeros({3, 5, 8});
  const std::string shapes = "MultiheadAttention: the shapes of query, key and value must be ";
  expect_error([&] { attention(x, x[0], x[0]); },
               shapes + "of three dimensions, or of two without a batch, not [3, 4, 8], [4, 8] and [4, 8]");
  expect_error([&] { attention(x, x.narrow(-1, 0, 6), x); },
               shapes +
                   "of embed_dim, kdim and vdim, 8, 8 and 8, in the last dimension, not "
                   "[3, 4, 8], [3, 4, 6] and [3, 4, 8]");
  expect_error(
      [&] { attention(x, y, x); },
      shapes + "of the same batch, with as many values as keys, not [3, 4, 8], [3, 5, 8] and [3, 4, 8]");
  expect_error(
      [&] {
        attention(x, y, y, {.attn_mask = zeros({4, 4}, {.dtype = bool_})});
      },
      "MultiheadAttention: the shape of attn_mask must be [4, 5] or [6, 4, 5], not [4, 4]");
  expect_error(
      [&] {
        attention(x, y, y, {.attn_mask = zeros({4, 5}, {.dtype = float64})});
      },
      "MultiheadAttention: the dtype of attn_mask must be bool or float32, not float64");
  expect_error(
      [&] {
        attention(x, y, y, {.key_padding_mask = zeros({3, 4}, {.dtype = bool_})});
      },
      "MultiheadAttention: the shape of key_padding_mask must be [3, 5], not [3, 4]");
}

}  // namespace
}  // namespace lectern::nn
