#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "nn/activations.h"
#include "nn/gpt.h"
#include "nn/linear.h"
#include "nn/made.h"
#include "nn/sequential.h"
#include "ops/cross_entropy.h"
#include "ops/join.h"
#include "ops/losses.h"
#include "ops/torch_reference.h"
#include "optim/adam.h"

// Losses step by step, beside PyTorch's.

namespace lectern::nn {
namespace {

using test::In;
using test::made;
using test::Out;
using test::TorchRow;

/// 1e-4 in float32; 2e-10 in float64 is this, too, times kDigits.
constexpr double kCurve = 1e-4 * (1 << 23), kDigits = 1'000;

template <typename Model, typename Loss>
Out curve(Model& model, const Loss& loss) {
  constexpr int kSteps = 200;
  optim::AdamW optimizer(model.parameters(), {.lr = 2e-4});
  std::vector<Tensor> losses;
  for (int i = 0; i < kSteps; ++i) {
    optimizer.zero_grad();
    const Tensor value = loss(i);
    value.backward();
    optimizer.step();
    losses.push_back(value.detach());
  }
  return Out{stack(losses)};
}

struct Mlp : Module {
  Sequential layers;

  // Braces: their contents are made from left to right.
  explicit Mlp(std::int64_t width) : layers{Linear(width, width), ReLU(), Linear(width, width)} {
    LECTERN_REGISTER(layers);
  }
  Tensor operator()(const Tensor& x) const { return layers(x); }
};

TorchRow mlp(std::int64_t batch, std::int64_t width, Dtype dtype, double factor) {
  return {"modules.mlp_curve(a, b)",
          {{batch, width}, {batch, width}},
          {dtype},
          [=](const In& in) {
            auto model = made<Mlp>(in[0], width);
            const Tensor more = (arange(batch * width) * 7919 % 2039).to(dtype) / 1020 - 1;
            const Tensor x = in[0] + more.reshape({batch, width});
            return curve(model, [&](int) { return mse_loss(model(x), in[1]); });
          },
          factor,
          factor,
          false};
}

TorchRow gpt(std::int64_t batch, const GPTConfig& config, Dtype dtype, double factor) {
  const auto sizes = {config.vocab_size, config.width, config.layers, config.heads};
  std::string arguments = "a";
  for (const std::int64_t size : sizes) arguments += ", " + std::to_string(size);
  return {"modules.gpt_curve(" + arguments + ")",
          {{batch, config.context_length + 1}},
          {dtype},
          [=](const In& in) {
            auto model = made<GPT>(in[0], config);
            return curve(model, [&](int step) {
              const Tensor text = test::tokens(in[0] * (step + 1), config.vocab_size);
              const Tensor logits = model(text.slice(1, {}, -1));
              return cross_entropy(logits.flatten(0, 1), text.slice(1, 1).flatten());
            });
          },
          factor,
          factor,
          false};
}

TEST(TorchTraining, LossesOf200Steps) {
  const GPTConfig config{.vocab_size = 32, .context_length = 16, .width = 32, .layers = 2, .heads = 2};
  test::expect_as_torch({mlp(16, 32, float32, kCurve), gpt(4, config, float32, kCurve),
                         gpt(4, config, float64, kCurve * kDigits)});
}

// The models of the benchmark (tests/bench/training_cases.cpp). They take minutes, so they are run by hand:
// LECTERN_TORCH=live test_nn --gtest_also_run_disabled_tests --gtest_filter=*LossesOf200StepsOfALarge*
TEST(TorchTraining, DISABLED_LossesOf200StepsOfALargeMlp) {
  test::expect_as_torch({mlp(64, 1024, float32, kCurve)});
}

TEST(TorchTraining, DISABLED_LossesOf200StepsOfALargeGpt) {
  const GPTConfig config{.vocab_size = 4096, .context_length = 256, .width = 256, .layers = 4, .heads = 4};
  test::expect_as_torch({gpt(8, config, float32, kCurve)});
}

}  // namespace
}  // namespace lectern::nn
