#include "distributed/fully_sharded.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "accounting/parallelism.h"
#include "accounting/scope.h"
#include "autograd/checkpoint.h"
#include "autograd/hooks.h"
#include "distributed/collectives.h"
#include "distributed/model.h"
#include "nn/gpt.h"
#include "nn/sequential.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "optim/adam.h"
#include "optim/clip_grad.h"
#include "optim/sgd.h"

namespace lectern {
namespace {

using accounting::ZeroStage;
using distributed::FullyShardedDataParallel;
using distributed::module_wrap_policy;
using distributed::ShardingStrategy;
using test::TwoLayers;

constexpr ShardingStrategy kStrategies[] = {ShardingStrategy::full_shard, ShardingStrategy::shard_grad_op};

TwoLayers seeded_layers(unsigned seed) {
  manual_seed(seed);
  return TwoLayers(11);  // of 55 and 24 parameters, which 2, 3 and 4 ranks do not all divide
}

void expect_same_state(const StateDict& got, const StateDict& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [name, tensor] : expected)
    EXPECT_TRUE(test::same_bits(got.at(name).contiguous(), tensor.contiguous())) << name;
}

RANKS_TEST(FullySharded, TrainsAsOneProcessDoes, 3) {
  test::join();
  for (const ShardingStrategy strategy : kStrategies) {
    for (const bool wraps : {false, true}) {
      TwoLayers model = seeded_layers(static_cast<unsigned>(test::rank())), whole = seeded_layers(0);
      const FullyShardedDataParallel fsdp(
          model, {.sharding_strategy = strategy,
                  .auto_wrap_policy = wraps ? module_wrap_policy<nn::Linear>() : nullptr});
      optim::AdamW optimizer(fsdp.parameters()), whole_optimizer(whole.parameters());
      for (int step = 0; step < 3; ++step) {
        test::loss_of(fsdp, test::rank(), step).backward();
        test::backward_of_all(whole, whole, step);
        optimizer.step();
        whole_optimizer.step();
        optimizer.zero_grad(step % 2 == 0);
        whole_optimizer.zero_grad(step % 2 == 0);
        const NoGradGuard no_grad;
        EXPECT_TRUE(test::same_bits(test::loss_of(fsdp, 0), test::loss_of(whole, 0)));
      }
      expect_same_state(fsdp.state_dict(), whole.state_dict());
    }
  }
  distributed::destroy_process_group();
}

/// Its embedding is its head, and its blocks are units.
RANKS_TEST(FullySharded, GptWithSharedWeightsAndClipping, 2) {
  test::join();
  const nn::GPTConfig config{.vocab_size = 17, .context_length = 8, .width = 8, .layers = 2, .heads = 2};
  const auto tokens = [](int part, int step) {
    Generator generator(cpu, static_cast<std::uint64_t>(10 * step + part));
    return randint(17, {2, 8}, {}, &generator);
  };
  manual_seed(0);
  nn::GPT model(config);
  manual_seed(0);
  nn::GPT whole(config);
  const FullyShardedDataParallel fsdp(model,
                                      {.auto_wrap_policy = module_wrap_policy<nn::TransformerBlock>()});
  optim::AdamW optimizer(fsdp.parameters(), {.lr = 0.01}), whole_optimizer(whole.parameters(), {.lr = 0.01});
  for (int step = 0; step < 3; ++step) {
    const auto loss = [&](const nn::GPT& gpt, int part) {
      return gpt.loss(tokens(part, step), tokens(part, step + 10));
    };
    fsdp.forward([&](const nn::GPT& gpt) { return loss(gpt, test::rank()); }).backward();
    for (int part = 0; part < 2; ++part) loss(whole, part).backward();
    for (const Tensor& parameter : whole.parameters()) parameter.grad().div_(2);
    const Tensor norm = fsdp.clip_grad_norm_(1e6);  // so large that nothing is clipped
    const Tensor expected = nn::utils::clip_grad_norm_(whole.parameters(), 1e6);
    EXPECT_TRUE(norm.allclose(expected, 1e-5, 0)) << norm.item<float>();
    optimizer.step();
    whole_optimizer.step();
    optimizer.zero_grad();
    whole_optimizer.zero_grad();
  }
  expect_same_state(fsdp.state_dict(), whole.state_dict());

  fsdp.forward([&](const nn::GPT& gpt) { return gpt.loss(tokens(0, 0), tokens(0, 1)); }).backward();
  EXPECT_GT(fsdp.clip_grad_norm_(0.5).item<float>(), 0.5);
  EXPECT_NEAR(fsdp.clip_grad_norm_(1).item<float>(), 0.5, 1e-4);
  EXPECT_GT(fsdp.clip_grad_norm_(1, std::numeric_limits<double>::infinity()).item<float>(), 0);
  distributed::destroy_process_group();
}

RANKS_TEST(FullySharded, ClipsAsPreciselyAsOneProcess, 2) {
  test::join();
  for (const auto& [dtype, scale] : {std::pair(float32, 1e20), std::pair(float64, 1.)}) {
    nn::Linear model(3, 2, {.dtype = dtype}), whole(3, 2, {.dtype = dtype});
    whole.load_state_dict(model.state_dict());
    const FullyShardedDataParallel fsdp(model);
    const Tensor x = full({1, 3}, scale / 3, {.dtype = dtype});
    fsdp(x).sum().backward();
    whole(x).sum().backward();
    const Tensor norm = fsdp.clip_grad_norm_(0.5);
    const Tensor expected = nn::utils::clip_grad_norm_(whole.parameters(), 0.5);
    const double tolerance = dtype == float64 ? 1e-15 : 1e-6;
    EXPECT_TRUE(norm.allclose(expected, tolerance, 0)) << norm.item<double>();
    for (std::size_t i = 0; i < 2; ++i) {
      const Tensor piece = fsdp.parameters()[i].grad();
      if (!piece.defined()) continue;
      const Tensor all = whole.parameters()[i].grad();
      EXPECT_TRUE(piece.allclose(all.reshape({-1})[0].expand(piece.sizes()), tolerance, 0));
    }
  }
  distributed::destroy_process_group();
}

RANKS_TEST(FullySharded, RecomputedUnitsAndGradientsThatAddUp, 2) {
  test::join();
  const auto make = [] {
    manual_seed(1);
    return nn::Sequential{nn::Linear(4, 7), nn::Linear(7, 7), nn::Linear(7, 3)};
  };
  auto model = make(), whole = make();
  const FullyShardedDataParallel fsdp(model, {.auto_wrap_policy = module_wrap_policy<nn::Linear>()});
  const auto run = [](const nn::Sequential& layers, bool recomputes) {
    const auto part = [&](const Tensor& x) {
      return static_cast<const nn::Linear&>(layers[1])(static_cast<const nn::Linear&>(layers[0])(x)).tanh();
    };
    const Tensor x = test::uniform({5, 4}, float32).requires_grad_();
    const Tensor hidden = recomputes ? autograd::checkpoint(part, x) : part(x);
    return static_cast<const nn::Linear&>(layers[2])(hidden).sum();
  };
  for (const bool recomputes : {false, true, true}) {
    fsdp.forward([&](const nn::Sequential& layers) { return run(layers, recomputes); }).backward();
    run(whole, false).backward();
  }
  const auto names = fsdp.named_parameters();
  const auto expected = whole.named_parameters();
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(names[i].first, expected[i].first);
    const Tensor all = expected[i].second.grad().reshape({-1});
    const Tensor piece = names[i].second;
    if (piece.numel() == 0) continue;
    bool is_part = false;  // the gradient is a run of the whole one's
    for (std::int64_t at = 0; at + piece.numel() <= all.numel(); ++at)
      is_part =
          is_part || test::same_bits(piece.grad().contiguous(), all.narrow(0, at, piece.numel()).clone());
    EXPECT_TRUE(is_part) << names[i].first;
  }
  distributed::destroy_process_group();
}

/// 2 layers of 128 by 128, which 4 ranks divide evenly.
struct Squares : nn::Module {
  nn::Linear first, second;

  Squares() : first(128, 128, {.bias = false}), second(128, 128, {.bias = false}) {
    LECTERN_REGISTER(first, second);
  }
  Tensor operator()(const Tensor& x) const { return second(first(x).tanh()); }
};

void expect_formulas(ShardingStrategy strategy, ZeroStage stage) {
  const MemoryByCategory before = memory_by_category();
  const auto held = [&](MemoryCategory category) {
    return static_cast<double>(memory_by_category()[category] - before[category]);
  };
  Squares model;
  const double unit = 128 * 128, parameters = 2 * unit, n = test::ranks();
  std::vector<double> during;  // bytes of parameters when a layer has run, and when its gradient has come
  for (nn::Linear* layer : {&model.first, &model.second})
    layer->register_forward_hook([&](const nn::Module&, const Tensor&, const Tensor&) {
      during.push_back(held(MemoryCategory::parameter));
      return Tensor();
    });
  const FullyShardedDataParallel fsdp(
      model, {.sharding_strategy = strategy, .auto_wrap_policy = module_wrap_policy<nn::Linear>()});
  const auto expected = accounting::training_memory(parameters, accounting::OptimizerState::adam,
                                                    accounting::kFloat32Training, stage, n);
  EXPECT_EQ(held(MemoryCategory::parameter), expected.parameters);
  optim::AdamW optimizer(fsdp.parameters());
  const accounting::Scope scope;
  std::int64_t early = 0;  // collectives before the first layer's gradient is computed
  const Tensor y = fsdp.forward([&](const Squares& squares) {
    const Tensor hidden = squares.first(ones({2, 128}));
    autograd::register_hook(hidden, [&](const Tensor&) {
      early = scope.cost().communication.calls;
      return Tensor();
    });
    return squares.second(hidden.tanh());
  });
  autograd::register_hook(y, [&](const Tensor&) {
    during.push_back(held(MemoryCategory::parameter));
    return Tensor();
  });
  y.sum().backward();
  const double most = stage == ZeroStage::parameters
                          ? accounting::fully_sharded_parameter_bytes(parameters, unit, n)
                          : expected.parameters;
  EXPECT_EQ(during, std::vector(3, most));
  const auto cost = scope.cost();
  EXPECT_EQ(static_cast<double>(cost.communication.sent),
            accounting::data_parallel_bytes(parameters, n, stage));
  EXPECT_EQ(cost.communication.received, cost.communication.sent);
  EXPECT_EQ(cost.communication.calls, stage == ZeroStage::parameters ? 6 : 4);
  EXPECT_EQ(early, cost.communication.calls - 1);  // the second layer's gradients are on their way
  EXPECT_LE(static_cast<double>(cost.peak[MemoryCategory::gradient]), expected.gradients + 3 * 4 * unit);
  optimizer.step();
  EXPECT_EQ(held(MemoryCategory::parameter), expected.parameters);
  EXPECT_EQ(held(MemoryCategory::gradient), expected.gradients);
  const auto pieces = fsdp.parameters();
  const auto counted = std::ranges::count_if(pieces, [](const Tensor& piece) { return piece.numel() > 0; });
  EXPECT_EQ(held(MemoryCategory::optimizer), expected.state + 4 * static_cast<double>(counted));
}

RANKS_TEST(FullySharded, MemoryAndBytesAreThoseOfTheFormulas, 4) {
  test::join();
  expect_formulas(ShardingStrategy::full_shard, ZeroStage::parameters);
  expect_formulas(ShardingStrategy::shard_grad_op, ZeroStage::gradients);
  distributed::destroy_process_group();
}

RANKS_TEST(FullySharded, SharesOfWhatRanksCannotDivideAreFilledUp, 4) {
  test::join();
  for (const ShardingStrategy strategy : kStrategies) {
    const auto bytes = [] { return static_cast<double>(memory_by_category()[MemoryCategory::parameter]); };
    const double before = bytes();
    nn::Linear tiny(1, 1), whole(1, 1);  // fewer elements than ranks
    const FullyShardedDataParallel fsdp(tiny, {.sharding_strategy = strategy});
    const double share = 4 * accounting::shard_elements(2, test::ranks());
    EXPECT_EQ(bytes() - before, 2 * 4 + (strategy == ShardingStrategy::full_shard ? share : 4 * share));
    distributed::broadcast(whole.weight, 0);
    whole.load_state_dict(fsdp.state_dict());
    optim::SGD optimizer(fsdp.parameters(), {.lr = 1}), whole_optimizer(whole.parameters(), {.lr = 1});
    fsdp(full({1, 1}, 1. + test::rank())).sum().backward();
    whole(tensor({{2.5}})).sum().backward();
    optimizer.step();
    whole_optimizer.step();
    expect_same_state(fsdp.state_dict(), whole.state_dict());
    whole.weight.detach().fill_(7);
    fsdp.load_state_dict(whole.state_dict());
    expect_same_state(fsdp.state_dict(), whole.state_dict());
  }
  distributed::destroy_process_group();
}

struct Frozen : nn::Module {
  nn::Linear first, second, third;

  Frozen() : first(3, 3), second(3, 3), third(3, 3) {
    LECTERN_REGISTER(first, second, third);
    first.requires_grad_(false);
  }
};

RANKS_TEST(FullySharded, FrozenAndUnusedParameters, 2) {
  test::join();
  manual_seed(test::rank());
  Frozen model;
  const FullyShardedDataParallel fsdp(model, {.auto_wrap_policy = module_wrap_policy<nn::Linear>()});
  fsdp.forward([&](const Frozen& net) { return net.second(net.first(ones({1, 3}))).sum(); }).backward();
  Frozen whole;
  whole.load_state_dict(fsdp.state_dict());
  whole.second(whole.first(ones({1, 3}))).sum().backward();
  for (const auto& [name, piece] : fsdp.named_parameters()) {
    EXPECT_EQ(piece.grad().defined(), name.starts_with("second") && piece.numel() > 0) << name;
    EXPECT_EQ(piece.requires_grad(), !name.starts_with("first")) << name;
    if (name != "second.bias" || piece.numel() == 0) continue;
    EXPECT_TRUE(test::same_bits(piece.grad().clone(), ones({piece.numel()})));
  }
  fsdp.forward([&](const Frozen& net) { return net.second(net.third(ones({1, 3}))).sum(); }).backward();
  for (const auto& [name, piece] : fsdp.named_parameters()) {
    EXPECT_EQ(piece.grad().defined(), !name.starts_with("first") && piece.numel() > 0) << name;
  }
  distributed::destroy_process_group();
}

struct Shares : nn::Module {
  nn::Linear first, second;

  Shares() : first(3, 3), second(first.weight) { LECTERN_REGISTER(first, second); }
};

struct OneNumber : nn::Module {
  nn::Parameter number{zeros({})};

  OneNumber() { LECTERN_REGISTER(number); }
};

RANKS_TEST(FullySharded, WrongUses, 2) {
  test::join();
  OneNumber one;
  EXPECT_PROBLEM(FullyShardedDataParallel{one}, "number has no dimensions; make it one of shape [1]");
  Shares shares;
  EXPECT_PROBLEM(
      FullyShardedDataParallel(shares, {.auto_wrap_policy = module_wrap_policy<nn::Linear>()}),
      "first.weight and second.weight are one parameter in two units; wrap a module that has both");
  TwoLayers mixed;
  mixed.second.to(float64);
  EXPECT_PROBLEM(FullyShardedDataParallel{mixed},
                 "the dtypes of parameters that are gathered together must be the same, not float32 of "
                 "first.weight and float64 of second.weight");
  TwoLayers other(10 + test::rank());
  EXPECT_PROBLEM(FullyShardedDataParallel{other}, "rank 1 calls FullyShardedDataParallel of 4 parameters:");
  TwoLayers model;
  const FullyShardedDataParallel fsdp(model, {.auto_wrap_policy = module_wrap_policy<nn::Linear>()});
  EXPECT_PROBLEM(model.first.weight.sum(),
                 "the parameters of first are divided among the ranks, and gathered only while it is called");
  EXPECT_EQ(model.first.weight.sizes(), (Sizes{10, 4}));
  EXPECT_PROBLEM(fsdp.load_state_dict({}), "Missing key(s) in state_dict: \"first.weight\"");
  const Tensor loss = fsdp(zeros({1, 4})).sum();  // usable as before
  {
    const NoGradGuard no_grad;
    for (const Tensor& piece : fsdp.parameters()) piece.add_(1);
  }
  EXPECT_PROBLEM(loss.backward(),
                 "the parameters of second were changed between its forward and its backward pass");
  fsdp(zeros({1, 4})).sum().backward();
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
