// Collectives by NCCL on the GPUs that are there, one rank each, four at most; where the GPU is simulated, of
// three processes, by the fake NCCL.
#include <algorithm>

#include <gtest/gtest.h>

#include "autograd/grad_mode.h"
#include "device/cuda.h"
#include "device/stream.h"
#include "distributed/collectives.h"
#include "distributed/fully_sharded.h"
#include "distributed/model.h"
#include "distributed/parallel_attention.h"
#include "distributed/parallel_embedding.h"
#include "distributed/pipeline.h"
#include "distributed/ranks.h"
#include "distributed/sharded_grad_scaler.h"
#include "distributed/zero_redundancy_optimizer.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "optim/adam.h"
#include "optim/clip_grad.h"
#include "optim/sgd.h"
#ifdef LECTERN_FAKE_NCCL
#include "distributed/gpu_of_rank.h"
#endif

namespace lectern {
namespace {

using distributed::ReduceOp;
using test::rank;
using test::ranks;

#ifdef LECTERN_FAKE_NCCL  // where threads of a kernel take turns
constexpr std::int64_t kMany = 500;
constexpr int kRounds = 5;
#else
constexpr std::int64_t kMany = 1 << 20;
constexpr int kRounds = 50;
#endif

class NcclOnGpus : public testing::Test {
 protected:
  void SetUp() override {
#ifdef LECTERN_FAKE_NCCL
    test::load_fake_nccl();
#endif
    if (!cuda::is_available()) GTEST_SKIP() << "needs a GPU: " << cuda::unavailable_reason();
    if (!distributed::is_nccl_available()) GTEST_SKIP() << "needs NCCL";
    if (rank() < 0) return;
    cuda::set_device(rank() % cuda::device_count());
    test::join();
  }
  void TearDown() override {
    if (distributed::is_initialized()) distributed::destroy_process_group();
  }

  /// Whether this process is to go on: one of the ranks, which the first one starts.
  static bool is_rank() {
    if (rank() >= 0) return true;
#ifdef LECTERN_FAKE_NCCL
    test::run_ranks(3, {});
#else
    test::run_ranks(std::clamp(cuda::device_count(), 1, 4), {});
#endif
    return false;
  }
};

/// In one of the layouts that can be written to.
Tensor on_gpu(const Sizes& sizes, Dtype dtype, unsigned layout, double value) {
  const auto make = [](const Sizes& of, Dtype as) { return zeros(of, {.dtype = as, .device = "cuda"}); };
  const Tensor made = test::laid_out(layout, sizes, dtype, make).tensor;
  made.fill_(dtype == bool_ ? (value == 0 ? 0. : 1.) : value);
  return made;
}

void expect_filled(const Tensor& got, double value) {
  const Tensor there = got.to(cpu).contiguous();
  EXPECT_TRUE(test::same_bits(there, full(got.sizes(), value, {.dtype = got.dtype()}))) << got.dtype();
}

TEST_F(NcclOnGpus, ReduceAndMoveEveryDtypeInEveryLayout) {
  if (!is_rank()) return;
  const int last = ranks() - 1;
  for (const Dtype dtype : test::kAllDtypes) {
    for (unsigned turn = 0; turn < 3; ++turn) {
      const unsigned layout = (turn + static_cast<unsigned>(rank())) % 3;  // each rank has another
      const Tensor x = on_gpu({3, 5}, dtype, layout, rank() + 1);
      distributed::broadcast(x, last);
      expect_filled(x, dtype == bool_ ? 1 : last + 1);
      std::vector<Tensor> all;
      for (int r = 0; r < ranks(); ++r) all.push_back(on_gpu({3, 5}, dtype, layout, 0));
      distributed::all_gather(all, on_gpu({3, 5}, dtype, layout, rank() + 1));
      for (int r = 0; r < ranks(); ++r)
        expect_filled(all[static_cast<std::size_t>(r)], dtype == bool_ ? 1 : r + 1);
      const std::vector<Tensor> exchanged = all;
      distributed::all_to_all(exchanged,
                              std::vector<Tensor>(all.size(), on_gpu({3, 5}, dtype, layout, rank() + 1)));
      for (int r = 0; r < ranks(); ++r)
        expect_filled(exchanged[static_cast<std::size_t>(r)], dtype == bool_ ? 1 : r + 1);
      const Tensor sum = on_gpu({3, 5}, dtype, layout, 1);
      if (dtype == int16 || dtype == float8_e4m3fn || dtype == float8_e5m2) {
        EXPECT_PROBLEM(distributed::all_reduce(sum), "NCCL does not reduce");
        continue;
      }
      distributed::all_reduce(sum);
      expect_filled(sum, dtype == bool_ ? 1 : ranks());
      const Tensor part = on_gpu({3, 5}, dtype, layout, 0);
      distributed::reduce_scatter(part, std::vector<Tensor>(all.size(), on_gpu({3, 5}, dtype, layout, 1)));
      expect_filled(part, dtype == bool_ ? 1 : ranks());
    }
  }
}

TEST_F(NcclOnGpus, OverlapWithTheStreamsOfTheCaller) {
  if (!is_rank()) return;
  const cuda::Stream side(cuda::current_device());
  for (int i = 0; i < kRounds; ++i) {
    Tensor x = ones({kMany}, {.device = "cuda"});
    x.mul_(i);
    distributed::Work work;
    {
      const cuda::StreamGuard guard(side);
      side.wait_stream(cuda::default_stream());
      x.add_(1);
      work = distributed::all_reduce(x, ReduceOp::sum, {.async_op = true});
      work.wait();
      x.add_(1);
    }
    cuda::default_stream().wait_stream(side);
    EXPECT_EQ(x[kMany / 3].item<float>(), static_cast<float>((i + 1) * ranks() + 1));
  }
}

/// Two of them on the CPU with rank 0's values, one of which is moved to the GPU.
struct Models {
  test::TwoLayers on_gpu, alone;

  Models() {
    for (const Tensor& parameter : alone.parameters()) distributed::broadcast(parameter, 0);
    on_gpu.load_state_dict(alone.state_dict());
    on_gpu.to(Device("cuda"));
  }
};

template <typename Model>
Tensor loss_on(const Model& model, int part, int step, Device device) {
  const auto seed = static_cast<unsigned>(100 * step + part);
  return mse_loss(model(test::uniform({6, 4}, float32, seed).to(device)),
                  test::uniform({6, 2}, float32, seed + 50).to(device));
}

/// The mean gradients of all ranks' parts.
void backward_alone(const test::TwoLayers& alone, int step) {
  for (int part = 0; part < ranks(); ++part) loss_on(alone, part, step, cpu).backward();
  const NoGradGuard no_grad;
  for (const Tensor& parameter : alone.parameters()) parameter.grad().div_(ranks());
}

TEST_F(NcclOnGpus, TrainDataParallel) {
  if (!is_rank()) return;
  Models models;
  const distributed::DistributedDataParallel ddp(models.on_gpu);
  loss_on(ddp, rank(), 0, Device("cuda")).backward();
  backward_alone(models.alone, 0);
  const auto expected = models.alone.parameters(), got = models.on_gpu.parameters();
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(allclose(got[i].grad().to(cpu), expected[i].grad(), 1e-4, 1e-5)) << i;
}

TEST_F(NcclOnGpus, TrainFullySharded) {
  if (!is_rank()) return;
  Models models;
  const distributed::FullyShardedDataParallel fsdp(
      models.on_gpu, {.auto_wrap_policy = distributed::module_wrap_policy<nn::Linear>()});
  optim::SGD optimizer(fsdp.parameters(), {.lr = 0.1}),
      optimizer_alone(models.alone.parameters(), {.lr = 0.1});
  distributed::ShardedGradScaler scaler;
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    optimizer_alone.zero_grad();
    scaler.scale(loss_on(fsdp, rank(), step, Device("cuda"))).backward();
    scaler.unscale_(optimizer);
    const Tensor norm = fsdp.clip_grad_norm_(0.5);
    scaler.step(optimizer);
    scaler.update();
    backward_alone(models.alone, step);
    const Tensor norm_alone = nn::utils::clip_grad_norm_(models.alone.parameters(), 0.5);
    optimizer_alone.step();
    EXPECT_NEAR(norm.item<double>(), norm_alone.item<double>(), 1e-4);
  }
  for (const auto& [name, tensor] : fsdp.state_dict())
    EXPECT_TRUE(allclose(tensor.to(cpu), models.alone.state_dict().at(name), 1e-4, 1e-5)) << name;
}

TEST_F(NcclOnGpus, TrainWithADividedOptimizer) {
  if (!is_rank()) return;
  Models models;
  const distributed::DistributedDataParallel ddp(models.on_gpu);
  distributed::ZeroRedundancyOptimizer optimizer(models.on_gpu.parameters(), [](const optim::Params& share) {
    return std::make_unique<optim::AdamW>(share);
  });
  optim::AdamW optimizer_alone(models.alone.parameters());
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    optimizer_alone.zero_grad();
    loss_on(ddp, rank(), step, Device("cuda")).backward();
    backward_alone(models.alone, step);
    optimizer.step();
    optimizer_alone.step();
  }
  optimizer.consolidate_state_dict(0);
  for (const auto& [name, tensor] : models.on_gpu.state_dict())
    EXPECT_TRUE(allclose(tensor.to(cpu), models.alone.state_dict().at(name), 1e-4, 1e-5)) << name;
  if (rank() != 0) return;
  for (const auto& [name, tensor] : optimizer_alone.state_dict())
    EXPECT_TRUE(allclose(optimizer.state_dict().at(name).to(cpu), tensor, 1e-4, 1e-5)) << name;
}

TEST_F(NcclOnGpus, DivideAttentionAndAnEmbedding) {
  if (!is_rank()) return;
  const Device gpu("cuda");
  const std::int64_t n = ranks(), width = 8 * n;
  manual_seed(1);
  const nn::Embedding table(4 * n, width);
  const nn::MultiheadAttention whole(width, n, {.batch_first = true});
  distributed::VocabParallelEmbedding rows(table);
  distributed::ParallelAttention attention(whole);
  rows.to(gpu);
  attention.to(gpu);
  const Tensor tokens = arange(3 * n, {.dtype = int64}).view({1, 3 * n});
  const Tensor x = table(tokens), y = whole(x, x, x);
  y.sum().backward();
  const Tensor got = attention(rows(tokens.to(gpu)));
  got.sum().backward();
  EXPECT_TRUE(allclose(got.to(cpu), y, 1e-4, 1e-5));
  const Tensor expected = table.weight.grad().narrow(0, 4 * rank(), 4);
  EXPECT_TRUE(allclose(rows.weight.grad().to(cpu), expected, 1e-3, 1e-4));
}

TEST_F(NcclOnGpus, TrainAPipeline) {
  if (!is_rank()) return;
  const Device gpu("cuda");
  std::vector<std::unique_ptr<nn::Linear>> layers;
  for (int stage = 0; stage < ranks(); ++stage) {
    layers.push_back(std::make_unique<nn::Linear>(4, 4));
    distributed::broadcast(layers.back()->weight, 0);
    distributed::broadcast(layers.back()->bias, 0);
  }
  const Tensor x = test::uniform({8, 4}, float32), y = test::uniform({8, 4}, float32, 2);
  Tensor alone = x;
  for (const auto& layer : layers) alone = (*layer)(alone);
  const Tensor loss_alone = mse_loss(alone, y);
  loss_alone.backward();
  nn::Linear& own = *layers[static_cast<std::size_t>(rank())];
  const Tensor expected = own.weight.grad().clone();
  own.zero_grad();
  own.to(gpu);
  const distributed::PipelineStage stage(own);
  distributed::Schedule1F1B schedule(
      stage, 4, [](const Tensor& output, const Tensor& target) { return mse_loss(output, target); });
  const Tensor loss =
      schedule.step(stage.is_first() ? x.to(gpu) : Tensor(), stage.is_last() ? y.to(gpu) : Tensor());
  EXPECT_TRUE(allclose(own.weight.grad().to(cpu), expected, 1e-4, 1e-5));
  if (stage.is_last()) {
    EXPECT_NEAR(loss.item<double>(), loss_alone.item<double>(), 1e-5);
  }
}

TEST_F(NcclOnGpus, DisagreementsNameBothRanks) {
  if (!is_rank() || ranks() < 2) return;
  const Tensor x = zeros({rank() == 0 ? 2 : 3}, {.device = "cuda"});
  EXPECT_PROBLEM(distributed::all_reduce(x), "the ranks differ: rank 0 calls all_reduce(sum) of float32 [2]");
}

}  // namespace
}  // namespace lectern
