#include "tensor/cuda_graph.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "autograd/grad_mode.h"
#include "device/counters.h"
#include "device/memory.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/layer_norm.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "tensor/creation.h"
#include "tensor/generator.h"
#include "tensor/item.h"

namespace lectern {
namespace {

using cuda::CUDAGraph;
using test::expect_problem;

class CudaGraph : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::is_available()) GTEST_SKIP() << "needs a GPU: " << cuda::unavailable_reason();
  }
  const Device gpu_{Device::Type::cuda};
};

TEST_F(CudaGraph, ReplaysWhatWasCaptured) {
  const Tensor x = ones({40, 40}, {.device = gpu_});
  matmul(x, x);
  Tensor y;
  CUDAGraph graph;
  graph.capture([&] { y = matmul(x, x) + 1; });
  for (const double value : {1., 2., 3.}) {
    x.fill_(value);
    graph.replay();
    EXPECT_TRUE(y.eq(40 * value * value + 1).all().item<bool>()) << value;
  }
}

TEST_F(CudaGraph, DoesNothingWhileCapturing) {
  const Tensor x = zeros({3}, {.device = gpu_});
  CUDAGraph graph;
  graph.capture([&] { x.add_(1); });
  EXPECT_EQ(x.sum().item<float>(), 0);
  graph.replay();
  graph.replay();
  EXPECT_EQ(x.sum().item<float>(), 6);
}

TEST_F(CudaGraph, KeepsItsMemoryUntilReset) {
  const Tensor x = full({1000}, 3, {.device = gpu_});
  Tensor y;
  CUDAGraph graph;
  graph.capture([&] { y = (x * 2 + 1).exp().log(); });
  std::vector<Tensor> others;
  for (int i = 0; i < 50; ++i) others.push_back(full({1000}, i, {.device = gpu_}));
  graph.replay();
  EXPECT_TRUE(y.allclose(full({1000}, 7., {.device = gpu_}), 1e-5, 1e-5));
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(others[static_cast<std::size_t>(i)].eq(i).all().item<bool>());
  y = Tensor();
  const std::int64_t before = memory_reserved(gpu_);
  graph.reset();
  EXPECT_LT(memory_reserved(gpu_), before);
}

/// The casts that autocast keeps: those of a recording are not done, and those from before are not repeated.
TEST_F(CudaGraph, KeepsItsOwnCasts) {
  const Tensor x = ones({8, 16}, {.device = gpu_}), w = ones({16, 4}, {.device = gpu_}).requires_grad_();
  Tensor y, outside;
  CUDAGraph graph;
  {
    const AutocastGuard autocast("cuda", bfloat16);
    x.matmul(w);
    graph.capture([&] { y = x.matmul(w); });
    outside = x.matmul(w);
  }
  EXPECT_TRUE(outside.eq(16).all().item<bool>());
  const Tensor other = full({16, 4}, 77, {.dtype = bfloat16, .device = gpu_});
  graph.replay();
  EXPECT_TRUE(y.eq(16).all().item<bool>());
  {
    const NoGradGuard no_grad;
    w.mul_(2);
  }
  graph.replay();
  EXPECT_TRUE(y.eq(32).all().item<bool>());
}

/// Of one kernel: for rows that take more shared memory, and less.
TEST_F(CudaGraph, RecordsNormsOfLongRowsAndOfShorterOnes) {
  struct Rows {
    Tensor x, weight, expected, y;
  };
  std::vector<Rows> both;
  for (const std::int64_t length : {8000, 4160}) {
    const Tensor x = randn({4, length}, {.device = gpu_}).to(bfloat16),
                 weight = ones({length}, {.device = gpu_});
    both.push_back({x, weight, layer_norm(x, {length}, weight), Tensor()});
  }
  CUDAGraph graph;
  graph.capture([&] {
    for (Rows& rows : both) rows.y = layer_norm(rows.x, rows.weight.sizes(), rows.weight);
  });
  graph.replay();
  for (const Rows& rows : both) EXPECT_TRUE(rows.y.eq(rows.expected).all().item<bool>());
}

TEST_F(CudaGraph, IsEndedByTheThreadThatBegan) {
  const cuda::Stream stream(0);
  const cuda::StreamGuard guard(stream);
  const Tensor x = zeros({3}, {.device = gpu_});
  CUDAGraph graph;
  graph.capture_begin();
  x.add_(1);
  std::thread([&] {
    EXPECT_PROBLEM(graph.capture_end(), "another thread began to capture");
    EXPECT_PROBLEM(graph.reset(), "another thread began to capture");
  }).join();
  graph.capture_end();
  graph.replay();
  EXPECT_EQ(x.sum().item<float>(), 3);
}

/// Which CUDA ends with an error when a thread waits for the device.
TEST_F(CudaGraph, IsNotLostWhenAnotherThreadDropsOneOrGivesMemoryBack) {
  const Tensor x = ones({1000}, {.device = gpu_});
  CUDAGraph graph, dropped;
  dropped.capture([&] { x.mul(2); });
  const auto other_thread = [&] {
    const cuda::Stream stream(0);
    const cuda::StreamGuard guard(stream);
    { const Tensor freed = x + 1; }
    dropped.reset();
    CUDAGraph().capture([&] { x.mul(3); });
    EXPECT_THROW(CUDAGraph().capture([&] { x.sum().item<float>(); }), TensorError);
    empty_cache(gpu_);
  };
  Tensor y;
  std::int64_t before = 0;
  graph.capture([&] {
    y = x + 1;
    std::thread(other_thread).join();
    y.add_(1);
    before = memory_reserved(gpu_);
  });
  EXPECT_LT(memory_reserved(gpu_), before);
  graph.replay();
  EXPECT_TRUE(y.eq(3).all().item<bool>());
}

TEST_F(CudaGraph, AsManyAsWantedAreCapturedAtOnce) {
  const Tensor x = ones({3}, {.device = gpu_});
  Tensor y;
  CUDAGraph graph;
  graph.capture([&] {
    std::thread([&] {
      for (int i = 0; i < 40; ++i) EXPECT_NO_THROW(CUDAGraph().capture([&] { x.mul(2); }));
    }).join();
    y = x + 1;
  });
  graph.replay();
  EXPECT_TRUE(y.eq(2).all().item<bool>());
}

TEST_F(CudaGraph, DrawsOnFromWhereTheGeneratorIs) {
  const auto draws = [&] { return rand({300}, {.device = gpu_}).add_(randn({300}, {.device = gpu_})); };
  manual_seed(11);
  const Tensor first = draws(), second = draws(), third = draws();
  manual_seed(11);
  const Tensor before = draws();
  Tensor drawn;
  CUDAGraph graph;
  graph.capture([&] { drawn = draws(); });
  graph.replay();
  EXPECT_TRUE(drawn.equal(second));
  const Tensor after = draws();
  EXPECT_TRUE(before.equal(first));
  EXPECT_TRUE(after.equal(third));
  manual_seed(11);
  graph.replay();
  EXPECT_TRUE(drawn.equal(first));
}

// Where the generator is, is written before a replay: not to memory that the replay writes first.
TEST_F(CudaGraph, DrawsAfterWhatItFreed) {
  const Tensor x = zeros({2}, {.dtype = int64, .device = gpu_});
  const auto draws = [&] {
    x.copy_(arange(2, {.device = gpu_}));
    return rand({30}, {.device = gpu_});
  };
  manual_seed(11);
  const Tensor first = draws(), second = draws();
  manual_seed(11);
  Tensor drawn;
  CUDAGraph graph;
  graph.capture([&] { drawn = draws(); });
  graph.replay();
  EXPECT_TRUE(drawn.equal(first));
  graph.replay();
  EXPECT_TRUE(drawn.equal(second));
}

TEST_F(CudaGraph, CountsWhatReplaysCost) {
  const Tensor x = ones({10}, {.device = gpu_});
  CUDAGraph graph;
  const CountScope captured;
  graph.capture([&] { x.add_(1); });
  EXPECT_EQ(captured.counted(), Counters{});
  const CountScope replayed;
  graph.replay();
  EXPECT_EQ(replayed.counted(), (Counters{10, 80}));
}

TEST_F(CudaGraph, SaysWhatCannotBeDone) {
  CUDAGraph graph;
  expect_problem([&] { graph.replay(); }, "nothing was captured");
  expect_problem([&] { graph.capture_end(); }, "not being captured");
  expect_problem([&] { graph.capture_begin(); }, "the default stream cannot be captured");
  const Tensor x = ones({3}, {.device = gpu_});
  EXPECT_THROW(graph.capture([&] { x.sum().item<float>(); }), TensorError);
  graph.capture([&] { x.add_(1); });
  expect_problem([&] { graph.capture([&] { x.add_(1); }); }, "reset() it first");
  expect_problem([&] { CUDAGraph().capture([&] { CUDAGraph().capture_begin(); }); }, "capturing already");
  expect_problem([&] { CUDAGraph().capture([&] { x.normal_(), manual_seed(3); }); }, "cannot be seeded");
  graph.replay();
  EXPECT_EQ(x.sum().item<float>(), 6);
}

}  // namespace
}  // namespace lectern
