#include <vector>

#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "autograd/backward.h"
#include "nn/gpt.h"
#include "ops/cross_entropy.h"
#include "ops/expect_error.h"
#include "ops/random.h"
#include "optim/adam.h"
#include "optim/clip_grad.h"
#include "tensor/creation.h"
#include "tensor/cuda_graph.h"
#include "tensor/item.h"

namespace lectern {
namespace {

class CapturedTraining : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::is_available()) GTEST_SKIP() << "needs a GPU: " << cuda::unavailable_reason();
    set_default_device(gpu_);
  }
  void TearDown() override { set_default_device(cpu); }

  const Device gpu_{Device::Type::cuda};
};

/// Steps of a GPT with dropout, from the same beginning each time.
class Training {
 public:
  explicit Training(bool capturable)
      : seeded_(manual_seed(7)), optimizer_(model_.parameters(), {.lr = 1e-2, .capturable = capturable}) {}

  void read_batch(std::int64_t index) {
    Generator random(cpu);
    random.manual_seed(index);
    tokens_.copy_(randint(29, {2, 8}, {.device = cpu}, &random));
  }
  void step() {
    optimizer_.zero_grad();
    {
      const AutocastGuard mixed(Device(Device::Type::cuda), bfloat16, true);
      loss_ = cross_entropy(model_(tokens_).flatten(0, 1), tokens_.flatten());
    }
    loss_.backward();
    nn::utils::clip_grad_norm_(model_.parameters(), 1.0);
    optimizer_.step();
  }
  double loss() const { return loss_.item<double>(); }

 private:
  Generator& seeded_;
  nn::GPT model_{
      {.vocab_size = 29, .context_length = 8, .width = 16, .layers = 2, .heads = 2, .dropout = 0.1}};
  optim::AdamW optimizer_;
  Tensor tokens_ = zeros({2, 8}, {.dtype = int64});
  Tensor loss_;
};

constexpr std::int64_t kSteps = 8;

TEST_F(CapturedTraining, IsThatOfEagerSteps) {
  std::vector<double> eager, captured;
  {
    Training training(false);
    for (std::int64_t i = 0; i < kSteps; ++i) {
      training.read_batch(i);
      training.step();
      eager.push_back(training.loss());
    }
  }
  Training training(true);
  training.read_batch(0);
  training.step();
  captured.push_back(training.loss());
  cuda::CUDAGraph graph;
  graph.capture([&] { training.step(); });
  for (std::int64_t i = 1; i < kSteps; ++i) {
    training.read_batch(i);
    graph.replay();
    captured.push_back(training.loss());
  }
  EXPECT_EQ(captured, eager);
  EXPECT_LT(captured.back(), captured.front());
}

TEST_F(CapturedTraining, NeedsStepsCountedOnTheGpu) {
  Training training(false);
  training.read_batch(0);
  training.step();
  cuda::CUDAGraph graph;
  EXPECT_PROBLEM((graph.capture([&] { training.step(); }), 0), "capturable");
  training.step();
}

}  // namespace
}  // namespace lectern
