#include "distributed/data_parallel.h"

#include <gtest/gtest.h>

#include "accounting/parallelism.h"
#include "accounting/scope.h"
#include "autograd/backward.h"
#include "distributed/collectives.h"
#include "distributed/model.h"
#include "distributed/zero_redundancy_optimizer.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "optim/adam.h"
#include "optim/sgd.h"

namespace lectern {
namespace {

using distributed::DistributedDataParallel;
using test::loss_of;
using test::TwoLayers;

TwoLayers seeded(unsigned seed) {
  manual_seed(seed);
  return TwoLayers();
}

constexpr double kSmallBuckets = 1e-6;  // MiB: each of the model's parameters

RANKS_TEST(DataParallel, TrainsAsOneProcessDoes, 3) {
  test::join();
  for (const double cap : {25., kSmallBuckets}) {
    TwoLayers model = seeded(static_cast<unsigned>(test::rank())), whole = seeded(0);
    const DistributedDataParallel ddp(model, {.bucket_cap_mb = cap});
    optim::AdamW optimizer(model.parameters()), whole_optimizer(whole.parameters());
    for (int step = 0; step < 4; ++step) {
      loss_of(ddp, test::rank(), step).backward();
      test::backward_of_all(whole, whole, step);
      test::expect_same_gradients(model, whole);
      optimizer.step();
      whole_optimizer.step();
      optimizer.zero_grad(step % 2 == 0);
      whole_optimizer.zero_grad(step % 2 == 0);
    }
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_TRUE(test::same_bits(model.parameters()[i].detach(), whole.parameters()[i].detach()));
  }
  distributed::destroy_process_group();
}

RANKS_TEST(DataParallel, GradientsAddUpWithoutSync, 2) {
  test::join();
  TwoLayers model = seeded(0), whole = seeded(0);
  const DistributedDataParallel ddp(model);
  const CommunicationCounters before = communication_counters();
  {
    const auto no_sync = ddp.no_sync();
    loss_of(ddp, test::rank(), 0).backward();
  }
  EXPECT_EQ(communication_counters(), before);
  loss_of(whole, test::rank(), 0).backward();
  test::expect_same_gradients(model, whole);
  loss_of(ddp, test::rank(), 1).backward();
  loss_of(whole, test::rank(), 1).backward();
  for (const Tensor& parameter : whole.parameters())
    distributed::all_reduce(parameter.grad(), distributed::ReduceOp::avg);
  test::expect_same_gradients(model, whole);
  loss_of(ddp, test::rank(), 2).backward();  // a mean stays the same when it is averaged again
  const Tensor sum = model.first.weight.grad().clone();
  distributed::broadcast(sum, 0);
  EXPECT_TRUE(test::same_bits(sum, model.first.weight.grad().clone()));
  distributed::destroy_process_group();
}

RANKS_TEST(DataParallel, CommunicatesWhileBackwardRuns, 2) {
  test::join();
  TwoLayers model = seeded(0);
  const DistributedDataParallel ddp(model, {.bucket_cap_mb = kSmallBuckets});
  CommunicationCounters early;
  const Tensor x = ddp.module().first(test::uniform({6, 4}, float32));
  const CommunicationCounters before = communication_counters();
  const Tensor loss = ddp.forward([&](const TwoLayers& layers) { return layers.second(x.tanh()).sum(); });
  autograd::register_hook(x, [&](const Tensor&) {
    early = communication_counters() - before;
    return Tensor();
  });
  loss.backward();
  const CommunicationCounters all = communication_counters() - before;
  EXPECT_EQ(early.calls, 2);  // the second layer's buckets, before the first layer's gradients are computed
  EXPECT_EQ(all.calls, 4);
  EXPECT_EQ(early.sent, (20 + 2) * 4);
  EXPECT_EQ(static_cast<double>(all.sent),
            accounting::data_parallel_bytes(static_cast<double>(model.num_parameters()), 2,
                                            accounting::ZeroStage::none));
  distributed::destroy_process_group();
}

RANKS_TEST(DataParallel, UnusedParameters, 2) {
  test::join();
  const auto use = [](const TwoLayers& layers, bool both) {
    const Tensor x = test::uniform({6, 4}, float32);
    return both ? layers(x).sum() : layers.second(ones({1, 10})).sum();
  };
  TwoLayers model = seeded(0);
  {
    const DistributedDataParallel ddp(model);
    const Tensor loss = ddp.forward([&](const TwoLayers& layers) { return use(layers, false); });
    EXPECT_PROBLEM(loss.backward(),
                   "DistributedDataParallel: backward() gave these parameters no gradient: first.weight, "
                   "first.bias; with find_unused_parameters they may be left out");
    EXPECT_PROBLEM(ddp(zeros({1, 4})), "the last backward() did not finish");
  }
  model.zero_grad();
  const DistributedDataParallel ddp(model, {.bucket_cap_mb = kSmallBuckets, .find_unused_parameters = true});
  ddp.forward([&](const TwoLayers& layers) { return use(layers, false); }).backward();
  EXPECT_FALSE(model.first.weight.grad().defined());  // used by nobody
  EXPECT_TRUE(model.second.weight.grad().defined());
  model.zero_grad();
  ddp.forward([&](const TwoLayers& layers) { return use(layers, test::rank() == 0); }).backward();
  TwoLayers whole = seeded(0);
  use(whole, true).backward();
  EXPECT_TRUE(model.first.weight.grad().equal(whole.first.weight.grad() / 2));  // used by rank 0
  distributed::destroy_process_group();
}

RANKS_TEST(DataParallel, RanksMustHaveTheSameParameters, 2) {
  test::join();
  TwoLayers model(10 + test::rank());
  EXPECT_PROBLEM(DistributedDataParallel(model),
                 "rank 1 calls DistributedDataParallel of 4 parameters: first.weight float32 [11, 4],");
  TwoLayers frozen;
  frozen.requires_grad_(false);
  EXPECT_PROBLEM(DistributedDataParallel(frozen), "the module has no parameter that requires a gradient");
  distributed::destroy_process_group();
}

/// 32,768 parameters, which 2 and 4 ranks divide evenly.
struct Square : nn::Module {
  nn::Linear first, second;

  Square() : first(128, 128, {.bias = false}), second(128, 128, {.bias = false}) {
    LECTERN_REGISTER(first, second);
  }
  Tensor operator()(const Tensor& x) const { return second(first(x).tanh()); }
};

/// The memory of parameters, gradients and the optimizer's state, after a step, and what the step moved.
void expect_costs(accounting::ZeroStage stage,
                  const std::function<std::unique_ptr<optim::Optimizer>(Square&)>& make,
                  std::int64_t counted_steps) {
  const MemoryByCategory before = memory_by_category();
  Square model;
  const DistributedDataParallel ddp(model);
  const auto optimizer = make(model);
  const accounting::Scope scope;
  ddp(ones({2, 128})).sum().backward();
  optimizer->step();
  const double parameters = static_cast<double>(model.num_parameters()), n = test::ranks();
  const auto expected = accounting::training_memory(parameters, accounting::OptimizerState::adam,
                                                    accounting::kFloat32Training, stage, n);
  const auto held = [&](MemoryCategory category) {
    return static_cast<double>(memory_by_category()[category] - before[category]);
  };
  EXPECT_EQ(held(MemoryCategory::parameter), expected.parameters);
  EXPECT_EQ(held(MemoryCategory::gradient), expected.gradients);
  EXPECT_EQ(held(MemoryCategory::optimizer), expected.state + 4. * static_cast<double>(counted_steps));
  EXPECT_LE(static_cast<double>(scope.cost().peak[MemoryCategory::gradient]),
            expected.gradients + 128 * 128 * 4);
  const double moved =
      stage == accounting::ZeroStage::none
          ? accounting::data_parallel_bytes(parameters, n, stage)
          : accounting::all_reduce_bytes(4 * parameters, n) + accounting::all_gather_bytes(4 * parameters, n);
  EXPECT_EQ(static_cast<double>(scope.cost().communication.sent), moved);
}

RANKS_TEST(DataParallel, MemoryAndBytesAreThoseOfTheFormulas, 4) {
  test::join();
  expect_costs(
      accounting::ZeroStage::none,
      [](Square& model) -> std::unique_ptr<optim::Optimizer> {
        return std::make_unique<optim::AdamW>(model.parameters());
      },
      2);
  expect_costs(
      accounting::ZeroStage::optimizer,
      [](Square& model) -> std::unique_ptr<optim::Optimizer> {
        return std::make_unique<distributed::ZeroRedundancyOptimizer>(
            model.parameters(),
            [](const optim::Params& share) { return std::make_unique<optim::AdamW>(share); });
      },
      1);
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
