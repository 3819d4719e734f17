// Formulas beside what the stack counts and allocates.

#include <memory>

#include <gtest/gtest.h>

#include "accounting/roofline.h"
#include "accounting/training_memory.h"
#include "accounting/transformer.h"
#include "device/counters.h"
#include "device/memory.h"
#include "nn/gpt.h"
#include "nn/linear.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/lion.h"
#include "optim/nadam.h"
#include "optim/radam.h"
#include "optim/rmsprop.h"
#include "optim/sgd.h"
#include "tensor/creation.h"

namespace lectern::accounting {
namespace {

double counted_parameters(const nn::Module& module) {
  double sum = 0;
  for (const Tensor& parameter : module.parameters()) sum += static_cast<double>(parameter.numel());
  return sum;
}

Transformer sizes_of(const nn::GPTConfig& config) {
  return {.vocabulary = static_cast<double>(config.vocab_size),
          .context = static_cast<double>(config.context_length),
          .width = static_cast<double>(config.width),
          .layers = static_cast<double>(config.layers),
          .heads = static_cast<double>(config.heads)};
}

TEST(MeasuredFormulas, ParametersOfOurGpts) {
  for (const std::int64_t layers : {1, 3}) {
    for (const std::int64_t width : {8, 32}) {
      const nn::GPTConfig config{
          .vocab_size = 61, .context_length = 16, .width = width, .layers = layers, .heads = 4};
      const Transformer model = sizes_of(config);
      EXPECT_EQ(count_parameters(model).total(), counted_parameters(nn::GPT(config)));
      EXPECT_EQ(count_parameters(model).total(), static_cast<double>(config.num_parameters()));
      EXPECT_EQ(forward_flops_per_token(model, 12).total(), static_cast<double>(config.flops_per_token(12)));
    }
  }
}

TEST(MeasuredFormulas, AProductsOperationsAndBytes) {
  const Tensor a = ones({7, 5}), b = ones({5, 3});
  const CountScope scope;
  const Tensor product = matmul(a, b);
  const Work work = matrix_product(7, 5, 3, sizeof(float));
  EXPECT_EQ(static_cast<double>(scope.counted().flops), work.flops);
  EXPECT_EQ(static_cast<double>(scope.counted().bytes), work.bytes);
}

/// The operations of the matrix products that train a chain of square layers.
double counted_flops(int layers, bool input_requires_grad) {
  constexpr std::int64_t kWidth = 8, kBatch = 4;
  Tensor x = ones({kBatch, kWidth});
  x.requires_grad_(input_requires_grad);
  std::vector<Tensor> weights;
  for (int i = 0; i < layers; ++i) {
    weights.push_back(ones({kWidth, kWidth}));
    weights.back().requires_grad_();
  }
  const CountScope scope;
  Tensor y = x;
  for (const Tensor& weight : weights) y = matmul(y, weight);
  y.backward(ones({kBatch, kWidth}));
  return static_cast<double>(scope.counted().flops);
}

TEST(MeasuredFormulas, SixNDIsExactOnlyIfTheInputNeedsAGradient) {
  for (const int layers : {1, 2, 5}) {
    const double rule = six_n_d(layers * 8 * 8, 4);
    EXPECT_EQ(counted_flops(layers, true), rule) << layers;
    EXPECT_NEAR(counted_flops(layers, false), rule * share_without_input_gradient(layers), 1e-6) << layers;
  }
}

/// The bytes of parameters, gradients and state after a step, in float32.
template <typename Optimizer, typename Options>
double measured_bytes(const Options& options) {
  const std::int64_t before = memory_allocated();
  auto model = std::make_unique<nn::Linear>(32, 64);
  Optimizer optimizer(model->parameters(), options);
  (*model)(ones({2, 32})).sum().backward();
  optimizer.step();
  return static_cast<double>(memory_allocated() - before);
}

TEST(MeasuredFormulas, TrainingMemoryToTheByte) {
  constexpr double kParameters = 32 * 64 + 64;
  constexpr double kStepCounts = 2 * sizeof(float);  // of weight and bias
  const auto formula = [](OptimizerState optimizer) {
    return training_memory(kParameters, optimizer).total();
  };
  EXPECT_EQ(measured_bytes<optim::SGD>(optim::SGDOptions{.lr = 0.1}), formula(OptimizerState::sgd));
  EXPECT_EQ(measured_bytes<optim::SGD>(optim::SGDOptions{.lr = 0.1, .momentum = 0.9}),
            formula(OptimizerState::momentum) + kStepCounts);
  EXPECT_EQ(measured_bytes<optim::Adagrad>(optim::AdagradOptions{}),
            formula(OptimizerState::adagrad) + kStepCounts);
  EXPECT_EQ(measured_bytes<optim::RMSprop>(optim::RMSpropOptions{}),
            formula(OptimizerState::rmsprop) + kStepCounts);
  EXPECT_EQ(measured_bytes<optim::Lion>(optim::LionOptions{}),
            formula(OptimizerState::momentum) + kStepCounts);
  EXPECT_EQ(measured_bytes<optim::AdamW>(optim::AdamWOptions{}), formula(OptimizerState::adam) + kStepCounts);
  EXPECT_EQ(measured_bytes<optim::RAdam>(optim::RAdamOptions{}), formula(OptimizerState::adam) + kStepCounts);
  EXPECT_EQ(measured_bytes<optim::NAdam>(optim::NAdamOptions{}),
            formula(OptimizerState::adam) + 2 * kStepCounts);  // and as many products of momenta
}

}  // namespace
}  // namespace lectern::accounting
