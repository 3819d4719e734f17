#include "nn/losses.h"

#include <gtest/gtest.h>

#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/softmax.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

// Losses as modules: each is its function, of which the numbers are beside PyTorch's in tests/ops.

namespace lectern::nn {
namespace {

using test::uniform;

TEST(Losses, AreTheirFunctions) {
  const Tensor x = uniform({4, 5}, float32, 1), y = uniform({4, 5}, float32, 2), p = sigmoid(x),
               q = sigmoid(y);
  const Tensor weight = uniform({5}, float32, 3).abs(), target = tensor({0, 4, 2, 1});
  const LossReduction each = LossReduction::unreduced, total = LossReduction::sum;
  EXPECT_TRUE(MSELoss()(x, y).equal(mse_loss(x, y)));
  EXPECT_TRUE(MSELoss(total)(x, y).equal(mse_loss(x, y, total)));
  EXPECT_TRUE(L1Loss(each)(x, y).equal(l1_loss(x, y, each)));
  EXPECT_TRUE(HuberLoss()(x, y).equal(huber_loss(x, y)));
  EXPECT_TRUE(HuberLoss(total, 0.3)(x, y).equal(huber_loss(x, y, total, 0.3)));
  EXPECT_TRUE(SmoothL1Loss(each, 0.3)(x, y).equal(smooth_l1_loss(x, y, each, 0.3)));
  EXPECT_TRUE(KLDivLoss()(x, q).equal(kl_div(x, q)));
  EXPECT_TRUE(
      KLDivLoss(KlDivReduction::batchmean, true)(x, y).equal(kl_div(x, y, KlDivReduction::batchmean, true)));
  EXPECT_TRUE(BCELoss(weight, total)(p, q).equal(binary_cross_entropy(p, q, weight, total)));
  EXPECT_TRUE(BCEWithLogitsLoss({}, each, weight)(x, q).equal(
      binary_cross_entropy_with_logits(x, q, {}, each, weight)));
  const ClassLossOptions options{.weight = weight, .ignore_index = 2, .reduction = total};
  EXPECT_TRUE(CrossEntropyLoss(options)(x, target).equal(cross_entropy(x, target, options)));
  EXPECT_TRUE(CrossEntropyLoss()(x, softmax(y, 1)).equal(cross_entropy(x, softmax(y, 1))));
  const Tensor logs = log_softmax(x, 1);
  EXPECT_TRUE(NLLLoss(options)(logs, target).equal(nll_loss(logs, target, options)));
}

TEST(Losses, WeightsAreBuffers) {
  CrossEntropyLoss loss({.weight = ones({3})});
  EXPECT_TRUE(loss.parameters().empty());
  ASSERT_EQ(loss.named_buffers().size(), 1U);
  loss.to(float64);
  EXPECT_EQ(loss.weight.dtype(), float64);
  EXPECT_EQ(loss(zeros({2, 3}, {.dtype = float64}), tensor({0, 1})).dtype(), float64);
  BCEWithLogitsLoss binary({}, LossReduction::mean, ones({2})), other({}, LossReduction::mean, zeros({2}));
  other.load_state_dict(binary.state_dict());
  EXPECT_TRUE(other.pos_weight.equal(ones({2})));
  EXPECT_TRUE(NLLLoss().state_dict().empty());
  EXPECT_EQ(to_string(CrossEntropyLoss()), "CrossEntropyLoss()");
  EXPECT_EQ(to_string(SmoothL1Loss()), "SmoothL1Loss()");
}

}  // namespace
}  // namespace lectern::nn
