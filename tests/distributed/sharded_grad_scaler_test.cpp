#include "distributed/sharded_grad_scaler.h"

#include <gtest/gtest.h>

#include "distributed/fully_sharded.h"
#include "distributed/model.h"
#include "distributed/tensor_parallel.h"
#include "distributed/zero_redundancy_optimizer.h"
#include "ops/reductions.h"
#include "optim/adam.h"
#include "optim/sgd.h"

namespace lectern {
namespace {

using amp::GradScaler;
using distributed::ShardedGradScaler;
using test::TwoLayers;

constexpr GradScaler::Options kOptions{.init_scale = 1024, .growth_interval = 2};

TwoLayers layers_of_three() {
  manual_seed(3);
  return TwoLayers(11);
}

/// Two models, one of several processes and one of a single one, whose losses are scaled.
struct Pair {
  TwoLayers model = layers_of_three(), whole = layers_of_three();

  /// The gradients of the whole one, of all ranks' losses.
  template <typename Loss>
  void backward_of_all(GradScaler& scaler, const Loss& loss) {
    for (int part = 0; part < test::ranks(); ++part) scaler.scale(loss(whole, part)).backward();
    for (const Tensor& parameter : whole.parameters()) parameter.grad().div_(test::ranks());
  }
};

void step_and_update(GradScaler& scaler, optim::Optimizer& optimizer) {
  scaler.step(optimizer);
  scaler.update();
}

void expect_bits(const StateDict& got, const StateDict& expected) {
  for (const auto& [name, tensor] : expected)
    EXPECT_TRUE(test::same_bits(got.at(name).contiguous(), tensor.contiguous())) << name;
}

RANKS_TEST(ShardedGradScaler, AllSkipTheStepThatOneHasTo, 3) {
  test::join();
  Pair pair;
  const distributed::FullyShardedDataParallel fsdp(pair.model);
  optim::AdamW optimizer(fsdp.parameters()), whole_optimizer(pair.whole.parameters());
  ShardedGradScaler scaler(kOptions);
  GradScaler whole_scaler(kOptions);
  const double scales[] = {1024, 512, 512, 1024};
  for (int step = 0; step < 4; ++step) {
    // In the second the gradient of one bias overflows, of which one rank has the piece.
    const auto loss = [&](const TwoLayers& net, int part) {
      const Tensor mean = test::loss_of(net, part, step);
      return step == 1 ? mean + net.second.bias.narrow(0, 1, 1).sum() * 1e37 : mean;
    };
    optimizer.zero_grad();
    whole_optimizer.zero_grad();
    scaler.scale(fsdp.forward([&](const TwoLayers& net) { return loss(net, test::rank()); })).backward();
    pair.backward_of_all(whole_scaler, loss);
    if (step == 2) {
      scaler.unscale_(optimizer);
      whole_scaler.unscale_(whole_optimizer);
    }
    step_and_update(scaler, optimizer);
    step_and_update(whole_scaler, whole_optimizer);
    EXPECT_EQ(scaler.get_scale(), scales[step]) << step;
    EXPECT_EQ(whole_scaler.get_scale(), scales[step]) << step;
    expect_bits(fsdp.state_dict(), pair.whole.state_dict());
  }
  distributed::destroy_process_group();
}

RANKS_TEST(ShardedGradScaler, OfAParallelLinear, 2) {
  test::join();
  manual_seed(1);
  distributed::ColumnParallelLinear linear(4, 6);
  optim::SGD sgd(linear.parameters(), {.lr = 0.5});
  const Tensor x = test::uniform({3, 4}, float32), before = linear.weight.detach().clone();
  ShardedGradScaler scaler(kOptions);
  scaler.scale(linear(x).narrow(-1, 0, 1).sum() * 1e37).backward();  // of an output of rank 0
  step_and_update(scaler, sgd);
  EXPECT_EQ(scaler.get_scale(), 512);
  EXPECT_TRUE(test::same_bits(linear.weight.detach().contiguous(), before));
  distributed::destroy_process_group();
}

/// The gradients are the same on all ranks, and so the plain one serves.
RANKS_TEST(GradScaler, WithDistributedDataParallelAndADividedOptimizer, 2) {
  test::join();
  Pair pair;
  const distributed::DistributedDataParallel ddp(pair.model);
  distributed::ZeroRedundancyOptimizer optimizer(pair.model.parameters(), [](const optim::Params& share) {
    return std::make_unique<optim::AdamW>(share);
  });
  optim::AdamW whole_optimizer(pair.whole.parameters());
  GradScaler scaler(kOptions), whole_scaler(kOptions);
  for (int step = 0; step < 4; ++step) {
    const auto loss = [&](const TwoLayers& net, int part) {
      const Tensor mean = test::loss_of(net, part, step);
      return step == 1 && part == 1 ? mean * 1e38 : mean;
    };
    optimizer.zero_grad();
    whole_optimizer.zero_grad();
    scaler.scale(ddp.forward([&](const TwoLayers& net) { return loss(net, test::rank()); })).backward();
    pair.backward_of_all(whole_scaler, loss);
    step_and_update(scaler, optimizer);
    step_and_update(whole_scaler, whole_optimizer);
    EXPECT_EQ(scaler.get_scale(), whole_scaler.get_scale());
    expect_bits(pair.model.state_dict(), pair.whole.state_dict());
  }
  EXPECT_EQ(scaler.get_scale(), 1024);
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
