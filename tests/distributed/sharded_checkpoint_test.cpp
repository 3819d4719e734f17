#include "distributed/sharded_checkpoint.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.h"
#include "distributed/collectives.h"
#include "distributed/fully_sharded.h"
#include "distributed/model.h"
#include "distributed/objects.h"
#include "distributed/tensor_parallel.h"
#include "distributed/zero_redundancy_optimizer.h"
#include "expect_file_problem.h"
#include "ops/expect_error.h"
#include "optim/adam.h"

namespace lectern {
namespace {

using distributed::FullyShardedDataParallel;
using distributed::load_sharded;
using distributed::save_sharded;
using test::TwoLayers;

/// Of this case's ranks.
std::filesystem::path checkpoint_folder() {
  return std::filesystem::path(test::meeting_folder()).parent_path() / "checkpoint";
}

TwoLayers eleven_wide(unsigned seed) {
  manual_seed(seed);
  return TwoLayers(11);
}

optim::AdamW adam_for(const std::vector<Tensor>& parameters) {
  return optim::AdamW(parameters, {.lr = 0.01});
}

void expect_state(const StateDict& got, const StateDict& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    ASSERT_TRUE(got.contains(name)) << name;
    EXPECT_TRUE(test::same_bits(got.at(name).contiguous(), tensor.contiguous())) << name;
  }
}

/// A step of what ranks or one process train: all with the same data, so that the number of ranks that
/// compute a mean does not matter.
template <typename Model>
void take_step(const Model& model, optim::Optimizer& optimizer, int step) {
  optimizer.zero_grad();
  test::loss_of(model, 0, step).backward();
  optimizer.step();
}

RANKS_TEST(ShardedCheckpoint, LoadsIntoOtherNumbersOfRanksAndIntoOne, 4) {
  test::join();
  TwoLayers whole = eleven_wide(0), model = eleven_wide(0);
  optim::AdamW whole_optimizer = adam_for(whole.parameters());
  for (int step = 0; step < 2; ++step) take_step(whole, whole_optimizer, step);
  const FullyShardedDataParallel fsdp(model,
                                      {.auto_wrap_policy = distributed::module_wrap_policy<nn::Linear>()});
  optim::AdamW optimizer = adam_for(fsdp.parameters());
  for (int step = 0; step < 2; ++step) take_step(fsdp, optimizer, step);
  save_sharded(checkpoint_folder(),
               {{"model", fsdp.sharded_state_dict()}, {"optimizer", fsdp.optimizer_state_dict(optimizer)}});

  const ShardedCheckpoint checkpoint(checkpoint_folder());
  expect_state(checkpoint.state_dict("model"), whole.state_dict());
  expect_state(checkpoint.state_dict("optimizer"), whole_optimizer.state_dict());
  take_step(whole, whole_optimizer, 2);

  TwoLayers alone = eleven_wide(1);  // one process
  optim::AdamW alone_optimizer = adam_for(alone.parameters());
  alone.load_state_dict(checkpoint.state_dict("model"));
  alone_optimizer.load_state_dict(checkpoint.state_dict("optimizer"));
  take_step(alone, alone_optimizer, 2);
  expect_state(alone.state_dict(), whole.state_dict());

  const auto few = distributed::new_group({0, 1, 2});  // of another strategy, too
  if (few != nullptr) {
    TwoLayers other = eleven_wide(2);
    const FullyShardedDataParallel resumed(
        other, {.process_group = few, .sharding_strategy = distributed::ShardingStrategy::shard_grad_op});
    optim::AdamW resumed_optimizer = adam_for(resumed.parameters());
    load_sharded(checkpoint, "model", resumed.sharded_state_dict());
    resumed.load_optimizer_state_dict(resumed_optimizer, checkpoint);
    take_step(resumed, resumed_optimizer, 2);
    const StateDict got = resumed.state_dict();
    for (const auto& [name, tensor] : whole.state_dict())
      EXPECT_TRUE(got.at(name).allclose(tensor, 1e-6, 1e-7)) << name;  // a mean of three
  }
  distributed::destroy_process_group();
}

/// Parameters without elements, before and after others.
struct WithNothing : nn::Module {
  nn::Parameter none{zeros({0, 3})}, some{test::uniform({2, 3}, float32)}, last{zeros({3, 0})};

  WithNothing() { LECTERN_REGISTER(none, some, last); }
};

RANKS_TEST(ShardedCheckpoint, KeepsParametersWithoutElements, 2) {
  test::join();
  WithNothing model, loaded;
  const StateDict expected = WithNothing().state_dict();
  const FullyShardedDataParallel fsdp(model);
  save_sharded(checkpoint_folder(), {{"model", fsdp.sharded_state_dict()}});
  const ShardedCheckpoint checkpoint(checkpoint_folder());
  expect_state(checkpoint.state_dict("model"), expected);
  loaded.load_state_dict(checkpoint.state_dict("model"));
  load_sharded(checkpoint, "model", fsdp.sharded_state_dict());
  expect_state(fsdp.state_dict(), expected);
  distributed::destroy_process_group();
}

RANKS_TEST(ShardedCheckpoint, OfAnOptimizerWithShardedState, 3) {
  test::join();
  TwoLayers model = eleven_wide(0), whole = eleven_wide(0);
  distributed::ZeroRedundancyOptimizer optimizer(model.parameters(), [](const optim::Params& share) {
    return std::make_unique<optim::AdamW>(share, optim::AdamWOptions{.lr = 0.01});
  });
  optim::AdamW whole_optimizer = adam_for(whole.parameters());
  take_step(model, optimizer, 0);
  take_step(whole, whole_optimizer, 0);
  save_sharded(checkpoint_folder(), {{"optimizer", optimizer.sharded_state_dict()}});
  const StateDict saved = ShardedCheckpoint(checkpoint_folder()).state_dict("optimizer");
  expect_state(saved, whole_optimizer.state_dict());
  optimizer.load_state_dict(saved);
  take_step(model, optimizer, 1);
  take_step(whole, whole_optimizer, 1);
  expect_state(model.state_dict(), whole.state_dict());
  distributed::destroy_process_group();
}

struct Parallel : nn::Module {
  distributed::ColumnParallelLinear up;
  distributed::RowParallelLinear down;

  explicit Parallel(const distributed::Group& group)
      : up(3, 4, {.gather_output = false, .group = group}),
        down(4, 5, {.input_is_parallel = true, .group = group}) {
    LECTERN_REGISTER(up, down);
  }
};

struct Plain : nn::Module {
  nn::Linear up, down;

  Plain() : up(3, 4), down(4, 5) { LECTERN_REGISTER(up, down); }
};

RANKS_TEST(ShardedCheckpoint, TensorParallelShardsAndDataParallelCopies, 4) {
  test::join();
  const auto first = distributed::new_group({0, 1}), second = distributed::new_group({2, 3});
  const auto& group = test::rank() < 2 ? first : second;
  manual_seed(4);
  const Parallel model(group);
  manual_seed(4);
  const Plain whole;
  save_sharded(checkpoint_folder(), {{"model", distributed::sharded_state_dict(model)}});
  const ShardedCheckpoint checkpoint(checkpoint_folder());
  expect_state(checkpoint.state_dict("model"), whole.state_dict());
  EXPECT_EQ(checkpoint.index().tensors.at("model.up.weight").shards.size(), 2U);
  EXPECT_EQ(checkpoint.index().tensors.at("model.down.bias").shards.size(), 1U);

  const auto pair = distributed::new_group({0, 3});
  const auto lone = distributed::new_group({1});
  if (test::rank() == 1) {
    const Parallel resumed(lone);
    load_sharded(checkpoint, "model", distributed::sharded_state_dict(resumed));
    expect_state(resumed.state_dict(), whole.state_dict());
  } else if (pair != nullptr) {
    const Parallel resumed(pair);
    load_sharded(checkpoint, "model", distributed::sharded_state_dict(resumed));
    const std::int64_t part = test::rank() == 0 ? 0 : 1;
    EXPECT_TRUE(test::same_bits(resumed.down.weight.detach().contiguous(),
                                whole.down.weight.detach().narrow(1, 2 * part, 2).contiguous()));
  }
  distributed::destroy_process_group();
}

RANKS_TEST(ShardedCheckpoint, SavesReplaceEachOther, 2) {
  test::join();
  const auto files = [] { return files_below(checkpoint_folder()).size(); };
  const Tensor own = full({2}, 1. + test::rank());
  const auto save = [&] {
    save_sharded(
        checkpoint_folder(),
        {{"part",
          {{"shared", {own, {4}, {2 * test::rank()}}}, {"own" + std::to_string(test::rank()), whole(own)}}}});
  };
  save();
  EXPECT_EQ(files(), 3U);
  distributed::barrier();
  if (test::rank() == 0) {
    write_file(checkpoint_folder() / "00003-of-00004.2.safetensors", "of a save that was interrupted");
    write_file(checkpoint_folder() / "model-00001-of-00002.safetensors", "somebody else's");
  }
  own.mul_(10);
  save();
  EXPECT_EQ(files(), 4U);  // the old shards are gone
  const ShardedCheckpoint checkpoint(checkpoint_folder());
  EXPECT_EQ(checkpoint.index().save, 2);
  EXPECT_TRUE(test::same_bits(checkpoint.get_tensor("part.shared"), tensor({10., 10., 20., 20.})));
  EXPECT_TRUE(test::same_bits(checkpoint.get_tensor("part.own1"), tensor({20., 20.})));

  EXPECT_PROBLEM(save_sharded(checkpoint_folder(), {{"part", {{"x", {own, {4 + test::rank()}, {0}}}}}}),
                 "the ranks disagree on the shape of part.x, [4] and [5]");
  EXPECT_PROBLEM(save_sharded(checkpoint_folder(), {{"part", {{"x", {own, {6}, {2 * test::rank()}}}}}}),
                 "the elements of part.x that the ranks of the group have must be 6, of shape [6], not 4");
  EXPECT_EQ(ShardedCheckpoint(checkpoint_folder()).index().save, 2);  // as it was
  EXPECT_PROBLEM(save_sharded(checkpoint_folder(), {{"a.b", {}}}),
                 "the name of a part must be without a dot");
  // One rank cannot write: all say so, and the old checkpoint is there.
  const std::filesystem::path place = test::rank() == 0 ? checkpoint_folder() : "/proc/nowhere";
  EXPECT_FILE_PROBLEM(save_sharded(place, {{"part", {{"y", {own, {4}, {2 * test::rank()}}}}}}), "(rank 1)");
  EXPECT_TRUE(ShardedCheckpoint(checkpoint_folder()).contains("part.shared"));
  distributed::barrier();
  if (test::rank() == 0) {
    EXPECT_FILE_PROBLEM(checkpoint.get_tensor("part.z"), "there is no tensor named part.z");
    EXPECT_FILE_PROBLEM(checkpoint.state_dict("model"), "there is no part named model; there are: part");
    EXPECT_PROBLEM(load_sharded(checkpoint, "part", {{"z", whole(own)}}),
                   "the checkpoint has no tensor named part.z");
    EXPECT_PROBLEM(load_sharded(checkpoint, "part", {{"shared", whole(own)}}),
                   "the shape of part.shared in the checkpoint must be [2], not [4]");
  }
  EXPECT_EQ(distributed::all_gather_object(std::string(3 * test::rank(), 'a')),
            (std::vector<std::string>{"", "aaa"}));
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
