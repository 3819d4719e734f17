#include <gtest/gtest.h>

#include "autograd/grad_mode.h"
#include "autograd/gradcheck.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/init.h"
#include "nn/linear.h"
#include "nn/multihead_attention.h"
#include "nn/normalization.h"
#include "nn/transformer_block.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

using test::expect_error;

/// That the gradients of the parameters and of x are derivatives.
template <typename Module>
void expect_derivatives(Module module, const Sizes& sizes) {
  module.to(float64);
  for (const Tensor& parameter : module.parameters()) {
    const NoGradGuard no_grad;
    parameter.add_(randn_like(parameter) * 0.1);  // not ones and zeros
  }
  std::vector<Tensor> inputs = module.parameters();
  const Tensor x = randn(sizes, {.dtype = float64, .requires_grad = true});
  inputs.push_back(x);
  const auto call = [&](const std::vector<Tensor>&) { return module(x); };
  EXPECT_TRUE(autograd::gradcheck(call, inputs));
}

/// A sequence that attends to itself.
struct SelfAttention : Module {
  MultiheadAttention attention{4, 2, {.batch_first = true}};
  SelfAttention() { LECTERN_REGISTER(attention); }
  Tensor operator()(const Tensor& x) const { return attention(x, x, x, {.is_causal = true}); }
};

TEST(Layers, GradientsAreDerivatives) {
  manual_seed(3);
  expect_derivatives(Linear(3, 2), {4, 3});
  expect_derivatives(Linear(3, 2, {.bias = false}), {3});
  expect_derivatives(LayerNorm(4), {3, 4});
  expect_derivatives(RMSNorm({2, 3}), {2, 2, 3});
  expect_derivatives(SelfAttention(), {2, 3, 4});
  expect_derivatives(TransformerBlock(4, 2, {.dim_feedforward = 5}), {2, 3, 4});
}

TEST(Layers, AreMadeAsTheOptionsSay) {
  const Linear linear(3, 2, {.dtype = bfloat16});
  EXPECT_EQ(linear.weight.dtype(), bfloat16);
  EXPECT_EQ(linear.bias.dtype(), bfloat16);
  EXPECT_EQ(linear.weight.device(), default_device());
  EXPECT_TRUE(linear.bias.requires_grad());
  EXPECT_EQ(Embedding(3, 2, {.dtype = float64, .device = cpu}).weight.device(), cpu);
  EXPECT_EQ(TransformerBlock(4, 2, {.dtype = float64}).norm2.weight.dtype(), float64);
  const LayerNorm plain(3, {.elementwise_affine = false});
  EXPECT_TRUE(plain.parameters().empty());
  EXPECT_TRUE(plain(ones({2, 3})).equal(zeros({2, 3})));
}

TEST(Layers, ALinearOverAnothersParameters) {
  const Linear first(3, 2);
  const Linear second(first.weight, first.bias);
  EXPECT_EQ(second.out_features(), 2);
  EXPECT_TRUE(second.parameters()[1].is_same(first.bias));
  expect_error([] { Linear linear{Parameter(zeros({3}))}; },
               "Linear: the weight must be a matrix, not of shape [3]");
  expect_error(
      [] {
        Linear linear(Parameter(zeros({3, 2})), Parameter(zeros({2})));
      },
      "Linear: the shape of the bias must be [3], not [2]");
}

TEST(Layers, AnEmbeddingHasARowOfZerosForPadding) {
  const Embedding embedding(4, 3, {.padding_idx = -1});
  EXPECT_EQ(embedding.padding_idx(), 3);
  EXPECT_TRUE(embedding(tensor({3, 3})).equal(zeros({2, 3})));
  embedding(tensor({0, 3})).sum().backward();
  EXPECT_TRUE(embedding.weight.grad().equal(tensor({{1., 1, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}})));
  expect_error([] { Embedding(4, 3, {.padding_idx = 4}); },
               "Embedding: padding_idx must be within the 4 embeddings, not 4");
  expect_error([] { Embedding(4, 3, {.max_norm = -1}); },
               "Embedding: max_norm must be 0 or more, not -1.000000");
}

TEST(Layers, AnEmbeddingRenormalisesTheRowsThatItLooksUp) {
  const Embedding embedding(4, 2, {.max_norm = 5});
  {
    const NoGradGuard no_grad;
    embedding.weight.copy_(tensor({{30., 40}, {3, 4}, {30, 40}, {0, 0}}));
  }
  const Tensor rows = embedding(tensor({{0, 1}, {0, 3}}));
  EXPECT_TRUE(embedding.weight.detach().allclose(tensor({{3., 4}, {3, 4}, {30, 40}, {0, 0}})));
  EXPECT_TRUE(rows.detach().allclose(tensor({{{3., 4}, {3, 4}}, {{3, 4}, {0, 0}}})));
  rows.sum().backward();
  EXPECT_TRUE(embedding.weight.grad().equal(tensor({{2., 2}, {1, 1}, {0, 0}, {1, 1}})));
  EXPECT_EQ(embedding(zeros({0}, {.dtype = int64})).sizes(), (Sizes{0, 2}));
  EXPECT_EQ(to_string(Embedding(4, 2, {.max_norm = 1, .norm_type = 1})),
            "Embedding(4, 2, max_norm=1.0, norm_type=1.0)");
}

TEST(Layers, DropoutIsForTraining) {
  manual_seed(1);
  Dropout dropout(0.5);
  const Tensor x = ones({1000});
  const Tensor dropped = dropout(x);
  EXPECT_NEAR(dropped.mean().item<double>(), 1, 0.15);
  EXPECT_TRUE(dropped.eq(0).logical_or(dropped.eq(2)).all().item<bool>());
  dropout.eval();
  EXPECT_TRUE(dropout(x).is_same(x));
  expect_error([] { Dropout(1.5); }, "Dropout: p must be in [0, 1], not 1.5");
}

TEST(Init, RefusesWhatHasNoFans) {
  const Tensor vector = zeros({3});
  expect_error(
      [&] { init::xavier_uniform_(vector); },
      "calculate_fan_in_and_fan_out: the tensor must be of two dimensions or more, not of shape [3]");
  expect_error(
      [&] {
        init::kaiming_normal_(zeros({3, 2}), {.mode = "fan"});
      },
      "kaiming_normal_: mode must be fan_in or fan_out, not fan");
  expect_error(
      [&] {
        init::kaiming_uniform_(zeros({3, 2}), {.nonlinearity = "gelu"});
      },
      "calculate_gain: nonlinearity must be linear, sigmoid, tanh, relu, leaky_relu or selu, not gelu");
  expect_error([&] { init::eye_(vector); }, "eye_: the tensor must be a matrix, not of shape [3]");
}

TEST(Init, LeavesNoTraceInTheGraph) {
  const Parameter weight(empty({20, 30}));
  EXPECT_TRUE(init::trunc_normal_(weight, 0, 1, -0.5, 0.5).is_same(weight));
  EXPECT_TRUE(weight.is_leaf());
  EXPECT_LE(weight.detach().abs().max().item<float>(), 0.5f);
  Generator generator(default_device());
  generator.manual_seed(7);
  init::normal_(weight, 0, 1, &generator);
  const Tensor drawn = weight.detach().clone();
  generator.manual_seed(7);
  init::normal_(weight, 0, 1, &generator);
  EXPECT_TRUE(weight.equal(drawn));
}

}  // namespace
}  // namespace lectern::nn
