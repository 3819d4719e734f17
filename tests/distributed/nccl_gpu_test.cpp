// Collectives by NCCL on the GPUs that are there, one rank each, four at most; where the GPU is simulated, of
// three processes, by the fake NCCL.
#include <algorithm>

#include <gtest/gtest.h>

#include "autograd/grad_mode.h"
#include "device/cuda.h"
#include "device/stream.h"
#include "distributed/collectives.h"
#include "distributed/data_parallel.h"
#include "distributed/model.h"
#include "distributed/ranks.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"
#ifdef LECTERN_FAKE_NCCL
#include "distributed/gpu_of_rank.h"
#endif

namespace lectern {
namespace {

using distributed::ReduceOp;
using test::rank;
using test::ranks;

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
    for (unsigned layout = 0; layout < 3; ++layout) {
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
  for (int i = 0; i < 50; ++i) {
    Tensor x = ones({1 << 20}, {.device = "cuda"});
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
    EXPECT_EQ(x[12345].item<float>(), static_cast<float>((i + 1) * ranks() + 1));
  }
}

TEST_F(NcclOnGpus, TrainDataParallel) {
  if (!is_rank()) return;
  test::TwoLayers model, alone;
  alone.load_state_dict(model.state_dict());
  model.to(Device("cuda"));
  distributed::DistributedDataParallel ddp(model);
  const auto loss = [](const auto& of, int part, Device device) {
    const auto seed = static_cast<unsigned>(part);
    return mse_loss(of(test::uniform({6, 4}, float32, seed).to(device)),
                    test::uniform({6, 2}, float32, seed + 50).to(device));
  };
  loss(ddp, rank(), Device("cuda")).backward();
  for (const Tensor& parameter : alone.parameters()) distributed::broadcast(parameter, 0);  // as the model's
  for (int part = 0; part < ranks(); ++part) loss(alone, part, cpu).backward();
  const auto expected = alone.parameters(), got = model.parameters();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const NoGradGuard no_grad;
    EXPECT_TRUE(allclose(got[i].grad().to(cpu), expected[i].grad() / ranks(), 1e-4, 1e-5)) << i;
  }
}

TEST_F(NcclOnGpus, DisagreementsNameBothRanks) {
  if (!is_rank() || ranks() < 2) return;
  const Tensor x = zeros({rank() == 0 ? 2 : 3}, {.device = "cuda"});
  EXPECT_PROBLEM(distributed::all_reduce(x), "the ranks differ: rank 0 calls all_reduce(sum) of float32 [2]");
}

}  // namespace
}  // namespace lectern
