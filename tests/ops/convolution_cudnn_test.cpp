// Convolutions by cuDNN, beside the composed ones in float64 on the CPU.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "kernels/convolution.h"
#include "ops/compare.h"
#include "ops/convolution.h"
#include "ops/convolution_sizes.h"
#include "ops/elementwise.h"
#include "ops/gradients_of.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/tensors.h"
#include "tensor/creation.h"
#include "tensor/cuda_graph.h"
#include "tensor/item.h"

namespace lectern {
namespace {

class CudnnConvolution : public testing::Test {
 protected:
  void SetUp() override {
    if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
    if (cuda::cudnn_version() == 0) GTEST_SKIP() << "cuDNN 9 is not found";
    manual_seed(13);
  }
};

Tensor convolved(const std::vector<Tensor>& in, const ConvolutionOptions& options) {
  const Tensor bias = in.size() == 3 ? in[2] : Tensor();
  return in[1].dim() == 3 ? conv1d(in[0], in[1], bias, options) : conv2d(in[0], in[1], bias, options);
}

/// The largest difference, of the largest number.
double relative_difference(const Tensor& ours, const Tensor& wanted) {
  return (ours.to(cpu).to(float64) - wanted).abs().max().item<double>() / wanted.abs().max().item<double>();
}

/// From an address on that is not aligned to 16 bytes if `first` is 1.
Tensor numbers(const Sizes& sizes, std::int64_t first) {
  const std::int64_t count = checked_numel("numbers", sizes);
  return randn({count + first}).narrow(0, first, count).view(sizes);
}

/// The result and the gradients, of inputs of these sizes: input, weight and perhaps a bias.
void expect_convolution_close(const std::vector<Sizes>& sizes, const ConvolutionOptions& options,
                              std::int64_t first = 0) {
  SCOPED_TRACE(to_string(sizes[0]) + " by " + to_string(sizes[1]));
  std::vector<Tensor> inputs, wide;
  for (const Sizes& each : sizes) {
    inputs.push_back(numbers(each, first));
    wide.push_back(inputs.back().to(cpu).to(float64));
  }
  const auto convolve = [&](const std::vector<Tensor>& in) { return convolved(in, options); };
  const Tensor ours = convolve(inputs), wanted = convolve(wide);
  EXPECT_EQ(ours.sizes(), wanted.sizes());
  EXPECT_LT(relative_difference(ours, wanted), 5e-5);
  const Tensor grad = numbers(ours.sizes(), first);
  const auto gradients = test::gradients_of(convolve, inputs, grad);
  const auto expected = test::gradients_of(convolve, wide, grad.to(cpu).to(float64));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_LT(relative_difference(gradients[i], expected[i]), 5e-5) << "the gradient of input " << i;
}

TEST_F(CudnnConvolution, OfAllOptions) {
  expect_convolution_close({{4, 16, 20, 21}, {24, 16, 3, 3}, {24}}, {.padding = {1}});
  expect_convolution_close({{4, 16, 20, 21}, {24, 16, 3, 2}}, {.stride = {2, 1}, .padding = {1, 2}});
  expect_convolution_close({{2, 3, 19, 19}, {8, 3, 3, 2}}, {.padding = {1}, .dilation = {2, 3}});
  expect_convolution_close({{2, 8, 15, 15}, {12, 4, 3, 3}, {12}}, {.padding = {1}, .groups = 2});
  expect_convolution_close({{2, 8, 15, 15}, {8, 1, 3, 3}}, {.groups = 8});
  expect_convolution_close({{2, 3, 9, 9}, {5, 3, 1, 1}, {5}}, {});
}

TEST_F(CudnnConvolution, OverOneDimension) {
  expect_convolution_close({{3, 6, 100}, {10, 6, 5}, {10}}, {.stride = {2}, .padding = {2}});
  expect_convolution_close({{6, 50}, {4, 3, 3}}, {.padding = {2}, .dilation = {2}, .groups = 2});
}

TEST_F(CudnnConvolution, LeavesUnevenPaddingToProducts) {
  expect_convolution_close({{2, 3, 12, 12}, {4, 3, 4, 4}, {4}}, {.padding = "same"});
}

TEST_F(CudnnConvolution, OfPictures) {
  expect_convolution_close({{2, 64, 56, 56}, {64, 64, 3, 3}, {64}}, {.padding = {1}});
}

TEST_F(CudnnConvolution, WhereverTensorsLie) {
  expect_convolution_close({{4, 16, 20, 20}, {24, 16, 3, 3}, {24}}, {.padding = {1}}, 1);
}

TEST_F(CudnnConvolution, IsTaken) {
  const kernels::ConvolutionSizes sizes = test::picture_sizes(2, 8, 4, 10);
  const Tensor input = ones({2, 8, 10, 10}), weight = ones({4, 8, 3, 3}), out = ones({2, 4, 10, 10});
  EXPECT_TRUE(kernels::convolution("conv2d", input.device(), sizes, out.data<float>(), input.data<float>(),
                                   weight.data<float>(), nullptr));
  EXPECT_TRUE(kernels::convolution_parameter_gradients("conv2d", input.device(), sizes, weight.data<float>(),
                                                       nullptr, out.data<float>(), input.data<float>()));
  EXPECT_TRUE(kernels::convolution_input_gradient("conv2d", input.device(), sizes, input.data<float>(),
                                                  out.data<float>(), weight.data<float>()));
}

TEST_F(CudnnConvolution, TheBitsAreAlwaysTheSame) {
  const std::vector<Tensor> inputs{randn({8, 32, 28, 28}), randn({32, 32, 3, 3})};
  const auto convolve = [](const std::vector<Tensor>& in) { return convolved(in, {.padding = {1}}); };
  const Tensor grad = randn({8, 32, 28, 28});
  const auto once = test::gradients_of(convolve, inputs, grad);
  for (int again = 0; again < 3; ++again) {
    const auto twice = test::gradients_of(convolve, inputs, grad);
    for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_TRUE(once[i].equal(twice[i])) << i;
  }
}

TEST_F(CudnnConvolution, IsCaptured) {
  const Tensor x = randn({4, 8, 20, 20}), weight = randn({8, 8, 3, 3}), bias = randn({8});
  const auto convolve = [&] { return conv2d(x, weight, bias, {.padding = {1}}); };
  convolve();
  Tensor replayed;
  cuda::CUDAGraph graph;
  graph.capture([&] { replayed = convolve(); });
  x.copy_(randn({4, 8, 20, 20}));
  graph.replay();
  EXPECT_TRUE(replayed.equal(convolve()));
}

}  // namespace
}  // namespace lectern
