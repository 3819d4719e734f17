// How often fused steps launch, which a simulated GPU counts.
#include <gtest/gtest.h>

#include "optim/adafactor.h"
#include "optim/adam.h"
#include "optim/clip_grad.h"
#include "optim/lion.h"
#include "optim/radam.h"
#include "optim/training.h"
#include "simulated_gpu/launch.h"

namespace lectern {
namespace {

using test::parameter;

std::vector<Tensor> parameters_with_gradients() {
  std::vector<Tensor> parameters;
  for (const Sizes& sizes : {Sizes{70, 600}, Sizes{5}, Sizes{2, 3, 4}, Sizes{9000}}) {
    parameters.push_back(parameter(sizes));
    parameters.back().mutable_grad() = test::uniform(sizes, float32, 2);
  }
  return parameters;
}

template <typename Work>
std::int64_t launches_of(const Work& work) {
  const std::int64_t before = kernels::cuda::launches;
  work();
  return kernels::cuda::launches - before;
}

template <typename Optimizer>
void expect_one_launch() {
  const auto parameters = parameters_with_gradients();
  Optimizer optimizer(parameters);
  optimizer.step();
  EXPECT_EQ(launches_of([&] { optimizer.step(); }), 1);
  const optim::GradScale scale{full({}, 0.5, {.dtype = float32}), zeros({}, {.dtype = float32})};
  optimizer.step(scale);
  EXPECT_EQ(launches_of([&] { optimizer.step(scale); }), 1);
}

TEST(Launches, OfAStepOne) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "LECTERN_TEST_DEVICE=cuda runs it";
  expect_one_launch<optim::AdamW>();
  expect_one_launch<optim::Adafactor>();
  expect_one_launch<optim::RAdam>();
  expect_one_launch<optim::Lion>();
}

TEST(Launches, OfClippingOne) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "LECTERN_TEST_DEVICE=cuda runs it";
  const auto parameters = parameters_with_gradients();
  EXPECT_EQ(launches_of([&] { nn::utils::clip_grad_norm_(parameters, 0.1); }), 1);
}

}  // namespace
}  // namespace lectern
