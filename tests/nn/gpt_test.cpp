#include "nn/gpt.h"

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "device/counters.h"
#include "ops/compare.h"
#include "ops/cross_entropy.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

using test::expect_error;

constexpr GPTConfig kSmall = {.vocab_size = 11, .context_length = 8, .width = 16, .layers = 2, .heads = 4};

Tensor loss_of(const GPT& model, const Tensor& tokens) {
  const std::int64_t time = tokens.size(1) - 1;
  return cross_entropy(model(tokens.narrow(1, 0, time)).flatten(0, 1), tokens.narrow(1, 1, time).flatten());
}

TEST(Gpt, HasAsManyParametersAsTheFormulaSays) {
  EXPECT_EQ(GPT(kSmall).num_parameters(), kSmall.num_parameters());
  EXPECT_EQ(GPTConfig().num_parameters(), 124'439'808);  // GPT-2 small
}

TEST(Gpt, TakesAsManyOperationsAsTheFormulaSays) {
  const GPTConfig config = {.vocab_size = 300, .context_length = 32, .width = 128, .layers = 2, .heads = 2};
  const GPT model(config);
  const Tensor tokens = randint(300, {4, 32});
  const NoGradGuard no_grad;
  const std::int64_t before = counters().flops;
  model(tokens);
  const auto measured = static_cast<double>(counters().flops - before);
  const auto products = static_cast<double>(4 * 32 * config.flops_per_token(32));
  EXPECT_GE(measured, products);
  EXPECT_LE(measured, products * 1.05);  // norms, gelu, softmax, sums
}

TEST(Gpt, SeesNothingOfTheFuture) {
  const GPT model(kSmall);
  const Tensor tokens = randint(11, {2, 8}), other = tokens.clone();
  other.narrow(1, 5, 3).copy_((tokens.narrow(1, 5, 3) + 1) % 11);
  const Tensor logits = model(tokens), changed = model(other);
  EXPECT_EQ(logits.sizes(), (Sizes{2, 8, 11}));
  EXPECT_TRUE(logits.narrow(1, 0, 5).allclose(changed.narrow(1, 0, 5), 1e-4, 1e-6));
  EXPECT_FALSE(logits.narrow(1, 5, 3).allclose(changed.narrow(1, 5, 3), 1e-2, 1e-3));
}

TEST(Gpt, ItsLossIsThatOfItsLogits) {
  manual_seed(4);
  GPTConfig config = kSmall;
  config.dtype = float64;
  const GPT model(config);
  const Tensor tokens = randint(11, {2, 8}), targets = randint(11, {2, 8});
  targets[0][3].fill_(-100);
  const std::vector<Tensor> parameters = model.parameters();
  const Tensor chunked = model.loss(tokens, targets);
  const Tensor whole = cross_entropy(model(tokens).flatten(0, 1), targets.flatten());
  EXPECT_TRUE(chunked.allclose(whole, 1e-12, 1e-12));
  const std::vector<Tensor> ours = autograd::grad({chunked}, parameters),
                            theirs = autograd::grad({whole}, parameters);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(ours[i].allclose(theirs[i], 1e-9, 1e-12));
  const Tensor sum = model.loss(tokens, targets, {.reduction = LossReduction::sum});
  EXPECT_TRUE(sum.allclose(chunked * 15, 1e-12, 1e-12));
}

TEST(Gpt, LearnsASequenceByHeart) {
  manual_seed(5);
  GPT model(kSmall);
  const Tensor tokens = randint(11, {1, 9});
  const std::vector<Tensor> parameters = model.parameters();
  double loss = loss_of(model, tokens).item<double>();
  EXPECT_NEAR(loss, 2.4, 0.2);  // ln 11: it knows nothing
  for (int step = 0; step < 100; ++step) {
    const Tensor now = loss_of(model, tokens);
    model.zero_grad();
    now.backward();
    const NoGradGuard no_grad;
    for (const Tensor& parameter : parameters) parameter.sub_(parameter.grad() * 0.5);
    loss = now.item<double>();
  }
  EXPECT_LT(loss, 0.1);
}

TEST(Gpt, IsTheSameFromItsState) {
  manual_seed(6);
  GPTConfig config = kSmall;
  config.dropout = 0.3;
  GPT from(config), to(config);
  const Tensor tokens = randint(11, {2, 8});
  to.load_state_dict(from.state_dict());
  EXPECT_FALSE(from(tokens).equal(to(tokens)));
  from.eval();
  to.eval();
  EXPECT_TRUE(from(tokens).equal(to(tokens)));
  EXPECT_TRUE(to.head.weight.is_same(to.token_embedding.weight));
}

TEST(Gpt, ComputesInItsDtype) {
  GPTConfig config = kSmall;
  config.dtype = bfloat16;
  const GPT model(config);
  const Tensor tokens = randint(11, {2, 8});
  EXPECT_EQ(model(tokens).dtype(), bfloat16);
  loss_of(model, tokens).backward();
  EXPECT_EQ(model.blocks[1].self_attn.in_proj_weight.grad().dtype(), bfloat16);
}

TEST(Gpt, Refuses) {
  const GPT model(kSmall);
  expect_error(
      [&] {
        model(zeros({1, 9}, {.dtype = int64}));
      },
      "GPT: the sequence length must be at most context_length, 8, not 9");
  expect_error([&] { model(zeros({9}, {.dtype = int64})); },
               "GPT: the shape of the tokens must be [batch, time], not [9]");
  EXPECT_THROW(GPT({.width = 8, .heads = 3}), TensorError);
}

}  // namespace
}  // namespace lectern::nn
