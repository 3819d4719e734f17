#include "distributed/zero_redundancy_optimizer.h"

#include <gtest/gtest.h>

#include "autograd/grad_mode.h"
#include "distributed/collectives.h"
#include "distributed/model.h"
#include "ops/expect_error.h"
#include "optim/adafactor.h"
#include "optim/adam.h"
#include "optim/sgd.h"

namespace lectern {
namespace {

using distributed::ZeroRedundancyOptimizer;
using test::TwoLayers;

TwoLayers fresh() {
  manual_seed(7);
  return TwoLayers();
}

/// The first layer's parameters have another learning rate.
optim::Params groups_of(TwoLayers& model) {
  return {{.params = model.first.parameters(), .options = {{"lr", 0.02}}},
          {.params = model.second.parameters()}};
}

std::unique_ptr<optim::Optimizer> adam_of(const optim::Params& share) {
  return std::make_unique<optim::AdamW>(share, optim::AdamWOptions{.lr = 0.01, .amsgrad = true});
}

/// The same gradients on all ranks.
void train(TwoLayers& model, optim::Optimizer& optimizer, int from, int to) {
  for (int step = from; step < to; ++step) {
    optimizer.zero_grad();
    test::loss_of(model, 0, step).backward();
    optimizer.param_groups()[1]["lr"] = 0.01 / (1 + step);  // as a scheduler does
    optimizer.step();
  }
}

void expect_same(const TwoLayers& got, const TwoLayers& expected) {
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(test::same_bits(got.parameters()[i].detach(), expected.parameters()[i].detach())) << i;
}

RANKS_TEST(ZeroRedundancy, GivesTheBitsOfTheWholeOptimizerAndResumes, 3) {
  test::join();
  TwoLayers model = fresh(), whole = fresh();
  ZeroRedundancyOptimizer optimizer(groups_of(model), adam_of);
  const auto whole_optimizer = adam_of(groups_of(whole));
  train(model, optimizer, 0, 4);
  train(whole, *whole_optimizer, 0, 4);
  expect_same(model, whole);

  optimizer.consolidate_state_dict(1);
  const StateDict expected = whole_optimizer->state_dict();
  if (test::rank() == 1) {
    const StateDict saved = optimizer.state_dict();
    EXPECT_EQ(saved.size(), expected.size());
    for (const auto& [name, tensor] : expected) {
      ASSERT_TRUE(saved.contains(name)) << name;
      EXPECT_TRUE(test::same_bits(saved.at(name).contiguous(), tensor.contiguous())) << name;
    }
  }

  TwoLayers resumed = fresh();
  resumed.load_state_dict(whole.state_dict());
  ZeroRedundancyOptimizer resumed_optimizer(groups_of(resumed), adam_of);
  resumed_optimizer.load_state_dict(expected);
  train(resumed, resumed_optimizer, 4, 6);
  train(model, optimizer, 4, 6);
  train(whole, *whole_optimizer, 4, 6);
  expect_same(resumed, whole);
  expect_same(model, whole);
  distributed::destroy_process_group();
}

RANKS_TEST(ZeroRedundancy, MoreRanksThanElementsAndScaledGradients, 4) {
  test::join();
  const Tensor parameter = ones({3}, {.requires_grad = true}), unused = ones({2, 2}, {.requires_grad = true});
  ZeroRedundancyOptimizer optimizer(
      {{.params = {parameter}}, {.params = {unused}}}, [](const optim::Params& share) {
        return std::make_unique<optim::SGD>(share, optim::SGDOptions{.lr = 1, .momentum = 0.5});
      });
  const auto step = [&](float inverse_scale, float found_inf) {
    parameter.mutable_grad() = full({3}, 8.);
    optimizer.step({.inv_scale = full({}, inverse_scale), .found_inf = full({}, found_inf)});
  };
  step(0.125F, 0);
  EXPECT_TRUE(test::same_bits(parameter.detach(), zeros({3})));
  step(0.125F, 1);
  EXPECT_TRUE(test::same_bits(parameter.detach(), zeros({3})));
  EXPECT_TRUE(test::same_bits(unused.detach(), ones({2, 2})));
  distributed::destroy_process_group();
}

RANKS_TEST(ZeroRedundancy, AParameterWithoutDimensionsResumes, 2) {
  test::join();
  const auto scale = [] { return full({}, 2., {.requires_grad = true}); };
  const auto weight = [] { return ones({2, 3}, {.requires_grad = true}); };
  const Tensor own_scale = scale(), own_weight = weight(), whole_scale = scale(), whole_weight = weight();
  const auto take_step = [](optim::Optimizer& optimizer) {
    for (const Tensor& parameter : optimizer.parameters()) parameter.mutable_grad() = parameter.detach() / 2;
    optimizer.step();
  };
  ZeroRedundancyOptimizer optimizer({own_weight, own_scale}, adam_of);
  const auto whole = adam_of({whole_weight, whole_scale});
  take_step(optimizer);
  take_step(*whole);
  optimizer.consolidate_state_dict(0);
  if (test::rank() == 0) {
    for (const auto& [name, tensor] : whole->state_dict())
      EXPECT_TRUE(test::same_bits(optimizer.state_dict().at(name), tensor)) << name;
  }
  ZeroRedundancyOptimizer resumed({own_weight, own_scale}, adam_of);
  resumed.load_state_dict(whole->state_dict());
  take_step(resumed);
  take_step(*whole);
  EXPECT_TRUE(test::same_bits(own_scale.detach(), whole_scale.detach()));
  EXPECT_TRUE(test::same_bits(own_weight.detach(), whole_weight.detach()));
  distributed::destroy_process_group();
}

RANKS_TEST(ZeroRedundancy, AGroupWithoutParameters, 2) {
  test::join();
  const Tensor parameter = ones({3}, {.requires_grad = true});
  ZeroRedundancyOptimizer optimizer({{.params = {parameter}}, {.params = {}}},
                                    [](const optim::Params& share) {
                                      return std::make_unique<optim::SGD>(share, optim::SGDOptions{.lr = 1});
                                    });
  parameter.mutable_grad() = ones({3});
  optimizer.step();
  EXPECT_TRUE(test::same_bits(parameter.detach(), zeros({3})));
  distributed::destroy_process_group();
}

RANKS_TEST(ZeroRedundancy, WrongUses, 2) {
  test::join();
  TwoLayers model;
  EXPECT_PROBLEM(ZeroRedundancyOptimizer(
                     model.parameters(),
                     [](const optim::Params& share) { return std::make_unique<optim::Adafactor>(share); }),
                 "ZeroRedundancyOptimizer: the optimizer must update each element by itself");
  ZeroRedundancyOptimizer optimizer(model.parameters(), adam_of);
  EXPECT_PROBLEM(optimizer.load_state_dict({}), "group 0 must have 4 parameters");
  model.to(float64);
  EXPECT_PROBLEM(optimizer.step(), "a parameter was moved or converted");
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
