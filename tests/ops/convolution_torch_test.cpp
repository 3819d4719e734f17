// Convolutions and pooling, side by side with PyTorch's.
#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "ops/convolution.h"
#include "ops/expect_error.h"
#include "ops/pooling.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kReal;
using test::kWithGradients;
using test::Out;
using test::TorchRow;

// As many terms add up, in an order that the library chooses.
constexpr double kTerms = 64;

struct ConvolutionCase {
  std::vector<Sizes> shapes;  ///< of input, weight and, if there is one, bias
  std::string torch;          ///< further arguments
  ConvolutionOptions options = {};
};

void expect_convolutions(const std::string& function,
                         Tensor (*ours)(const Tensor&, const Tensor&, const Tensor&,
                                        const ConvolutionOptions&),
                         const std::vector<ConvolutionCase>& cases) {
  std::vector<TorchRow> rows;
  for (const ConvolutionCase& each : cases) {
    const bool has_bias = each.shapes.size() == 3;
    rows.push_back(
        {"torch.nn.functional." + function + "(a, b, " + (has_bias ? "c" : "None") + each.torch + ")",
         each.shapes, kReal,
         [=](const In& in) { return Out{ours(in[0], in[1], has_bias ? in[2] : Tensor(), each.options)}; },
         kTerms, kTerms});
  }
  test::expect_as_torch(rows);
}

TEST(TorchConvolution, OverOneDimension) {
  expect_convolutions(
      "conv1d", conv1d,
      {
          {{{2, 3, 8}, {4, 3, 3}, {4}}, ""},
          {{{3, 8}, {4, 3, 3}, {4}}, ""},
          {{{2, 3, 8}, {4, 3, 3}}, ", stride=2, padding=1", {.stride = {2}, .padding = {1}}},
          {{{2, 3, 9}, {4, 3, 3}}, ", padding=2, dilation=2", {.padding = {2}, .dilation = {2}}},
          {{{2, 4, 8}, {6, 2, 3}, {6}}, ", groups=2", {.groups = 2}},
          {{{2, 4, 8}, {4, 1, 4}, {4}}, ", padding='same', groups=4", {.padding = "same", .groups = 4}},
          {{{2, 3, 8}, {4, 3, 5}}, ", padding='valid', stride=3", {.stride = {3}, .padding = "valid"}},
          {{{2, 3, 8}, {4, 3, 1}, {4}}, ""},
          {{{1, 2, 3}, {1, 2, 5}}, ", padding=1", {.padding = {1}}},
          // Refused by both.
          {{{2, 3, 2}, {4, 3, 3}}, ""},
          {{{2, 3, 8}, {4, 2, 3}}, ""},
          {{{2, 3, 8}, {4, 3, 3}, {3}}, ""},
          {{{2, 4, 8}, {3, 2, 3}}, ", groups=2", {.groups = 2}},
          {{{2, 3, 8}, {4, 3, 3}}, ", stride=2, padding='same'", {.stride = {2}, .padding = "same"}},
          {{{2, 3, 4, 8}, {4, 3, 3}}, ""},
      });
}

TEST(TorchConvolution, OverTwoDimensions) {
  expect_convolutions(
      "conv2d", conv2d,
      {
          {{{2, 3, 6, 7}, {4, 3, 3, 2}, {4}}, ""},
          {{{3, 6, 7}, {4, 3, 3, 2}, {4}}, ""},
          {{{2, 3, 6, 7}, {4, 3, 3, 3}},
           ", stride=(2, 1), padding=(1, 2)",
           {.stride = {2, 1}, .padding = {1, 2}}},
          {{{2, 3, 9, 9}, {2, 3, 3, 2}},
           ", dilation=(2, 3), padding=1",
           {.padding = {1}, .dilation = {2, 3}}},
          {{{2, 4, 5, 5}, {4, 2, 3, 3}, {4}}, ", groups=2, padding=1", {.padding = {1}, .groups = 2}},
          {{{2, 4, 5, 5}, {8, 1, 3, 3}, {8}}, ", groups=4, stride=2", {.stride = {2}, .groups = 4}},
          {{{2, 3, 5, 6}, {4, 3, 2, 3}},
           ", padding='same', dilation=(1, 2)",
           {.padding = "same", .dilation = {1, 2}}},
          {{{2, 3, 4, 4}, {5, 3, 1, 1}, {5}}, ""},
          {{{1, 1, 12, 12}, {1, 1, 4, 4}}, ", stride=4", {.stride = {4}}},
          {{{2, 3, 5, 7}, {4, 3, 2, 3}, {4}},
           ", stride=3, padding=4, dilation=2",
           {.stride = {3}, .padding = {4}, .dilation = {2}}},
          // Refused by both.
          {{{2, 3, 6, 2}, {4, 3, 3, 3}}, ""},
          {{{2, 3, 6, 7}, {4, 3, 3}}, ""},
          {{{2, 3, 0, 5}, {4, 3, 3, 3}}, ", padding=2", {.padding = {2}}},
          {{{2, 3, 5, 5}, {0, 3, 3, 3}}, ""},
          {{{2, 3, 5, 5}, {4, 3, 3, 3}}, ", dilation=0", {.dilation = {0}}},
          {{{2, 3, 6, 7}, {4, 3, 3, 3}}, ", padding=-1", {.padding = {-1}}},
      });
}

// As products, which convolutions of integers are on the CPU, and wrap around.
TEST(TorchConvolution, OfIntegers) {
  if (default_device().is_cuda()) GTEST_SKIP() << "as in PyTorch, a GPU has no products of integers";
  const std::vector<Dtype> integers = {int64, int32, int16, int8, uint8};
  test::expect_as_torch({
      {"torch.nn.functional.conv1d(a, b, c, padding=1)",
       {{2, 4, 8}, {6, 2, 3}, {6}},
       integers,
       [](const In& in) { return Out{conv1d(in[0], in[1], in[2], {.padding = {1}})}; }},
      {"torch.nn.functional.conv1d(a, b, c, padding=1, groups=2)",
       {{2, 4, 8}, {6, 2, 3}, {6}},
       integers,
       [](const In& in) { return Out{conv1d(in[0], in[1], in[2], {.padding = {1}, .groups = 2})}; }},
      {"torch.nn.functional.conv2d(a, b, stride=2)",
       {{3, 6, 7}, {4, 3, 3, 2}},
       integers,
       [](const In& in) { return Out{conv2d(in[0], in[1], {}, {.stride = {2}})}; }},
  });
}

TEST(Convolution, ErrorsNameTheArgument) {
  const Tensor x = test::uniform({2, 3, 8}, float32), weight = test::uniform({4, 3, 3}, float32);
  expect_error([&] { conv1d(x, weight, test::uniform({5}, float32)); },
               "conv1d: bias must be of shape [4], not of shape [5]");
  expect_error([&] { conv1d(x, weight, {}, {.groups = 0}); }, "conv1d: groups must be at least 1, not 0");
  expect_error([&] { conv1d(x, weight, {}, {.stride = {0}}); },
               "conv1d: stride must be one size from 1 to 2^31 - 1, not [0]");
  expect_error([&] { conv1d(x, weight, {}, {.padding = "full"}); },
               "conv1d: padding must be sizes, \"valid\" or \"same\", not \"full\"");
  expect_error([&] { conv1d(x, weight, {}, {.dilation = {5}}); },
               "conv1d: the kernel must be no larger than the padded input, of 8 elements, not over 11");
  expect_error([&] { conv1d(x, weight.to(float64)); },
               "conv1d: the dtypes of input, weight and bias must be the same; convert one with to(), not "
               "float32 and float64");
  expect_error([&] { conv2d(x, weight); },
               "conv2d: weight must be not empty, of shape [out, in / groups, kernel height, kernel width], "
               "where 1 divides out, not of shape [4, 3, 3]");
}

// PyTorch 1.13 refuses it where there are gradients.
TEST(Convolution, OfAnEmptyBatch) {
  const Tensor weight = test::uniform({4, 3, 3}, float32).requires_grad_();
  const Tensor out = conv1d(empty({0, 3, 8}), weight, ones({4}));
  EXPECT_EQ(out.sizes(), (Sizes{0, 4, 6}));
  out.sum().backward();
  EXPECT_TRUE(weight.grad().equal(zeros({4, 3, 3})));
}

TEST(Convolution, OfSixteenBitsIsRoundedOnce) {
  const Tensor x = test::uniform({2, 3, 9}, float32), weight = test::uniform({4, 3, 3}, float32, 2),
               bias = test::uniform({4}, float32, 3);
  const AutocastGuard cast(default_device().type(), bfloat16);
  const Tensor narrow = conv1d(x, weight, bias);
  ASSERT_EQ(narrow.dtype(), bfloat16);
  const auto rounded = [](const Tensor& of) { return of.to(bfloat16).to(float64); };
  const Tensor exact = conv1d(rounded(x), rounded(weight), rounded(bias));
  EXPECT_TRUE(narrow.to(float64).allclose(exact, 1e-2, 1e-5));
}

TEST(TorchPooling, MaximaOfWindows) {
  std::vector<TorchRow> rows;
#define ROW(sizes, call, ...) \
  rows.push_back(             \
      {"torch.nn.functional." call, {sizes}, kWithGradients, [](const In& in) { return Out{__VA_ARGS__}; }})
  ROW((Sizes{2, 3, 9}), "max_pool1d(a, 2)", max_pool1d(in[0], {2}));
  ROW((Sizes{3, 9}), "max_pool1d(a, 3, 1, 1)", max_pool1d(in[0], {3}, {.stride = {1}, .padding = {1}}));
  ROW((Sizes{2, 3, 9}), "max_pool1d(a, 3, 2, 1, 2)",
      max_pool1d(in[0], {3}, {.stride = {2}, .padding = {1}, .dilation = {2}}));
  ROW((Sizes{2, 3, 10}), "max_pool1d(a, 3, 4, 1, ceil_mode=True)",
      max_pool1d(in[0], {3}, {.stride = {4}, .padding = {1}, .ceil_mode = true}));
  ROW((Sizes{2, 3, 6, 7}), "max_pool2d(a, 2)", max_pool2d(in[0], {2}));
  ROW((Sizes{3, 6, 7}), "max_pool2d(a, (2, 3), (1, 2), (1, 1))",
      max_pool2d(in[0], {2, 3}, {.stride = {1, 2}, .padding = {1, 1}}));
  ROW((Sizes{2, 3, 6, 7}), "max_pool2d(a, 2, ceil_mode=True)", max_pool2d(in[0], {2}, {.ceil_mode = true}));
  ROW((Sizes{2, 3, 2, 2}), "max_pool2d(a, 3, 2, ceil_mode=True)",
      max_pool2d(in[0], {3}, {.stride = {2}, .ceil_mode = true}));
  ROW((Sizes{2, 3, 7, 7}), "max_pool2d(a.mul(2).round(), 3, 2, 1)",
      max_pool2d(in[0].mul(2).round(), {3}, {.stride = {2}, .padding = {1}}));
  ROW((Sizes{2, 3, 7, 7}), "max_pool2d(torch.relu(a), 3, 2, 1)",
      max_pool2d(in[0].relu(), {3}, {.stride = {2}, .padding = {1}}));
  ROW((Sizes{2, 3, 7, 5}), "adaptive_max_pool2d(a, (3, 2))", adaptive_max_pool2d(in[0], {3, 2}));
  ROW((Sizes{2, 3, 7}), "adaptive_max_pool1d(a, 4)", adaptive_max_pool1d(in[0], {4}));
  ROW((Sizes{2, 3, 7, 5}), "adaptive_max_pool2d(a, (None, 3))", adaptive_max_pool2d(in[0], {-1, 3}));
  ROW((Sizes{2, 3, 7, 5}), "adaptive_max_pool2d(a.detach(), (0, 3))",
      adaptive_max_pool2d(in[0].detach(), {0, 3}));
  ROW((Sizes{2, 3, 5, 6}), "max_pool2d(a.transpose(2, 3), 2, 1)",
      max_pool2d(in[0].transpose(2, 3), {2}, {.stride = {1}}));
  ROW((Sizes{2, 3, 17, 40}), "max_pool2d(a, (3, 5), (2, 3), (1, 2), (2, 1))",
      max_pool2d(in[0], {3, 5}, {.stride = {2, 3}, .padding = {1, 2}, .dilation = {2, 1}}));
  ROW((Sizes{1, 2, 64, 130}), "max_pool2d(a, 3, 1, 1)",
      max_pool2d(in[0], {3}, {.stride = {1}, .padding = {1}}));
  // Refused by both.
  ROW((Sizes{2, 3, 0, 2}), "max_pool2d(a, 2, padding=1)", max_pool2d(in[0], {2}, {.padding = {1}}));
  ROW((Sizes{2, 3, 9}), "max_pool1d(a, 2, padding=2)", max_pool1d(in[0], {2}, {.padding = {2}}));
  ROW((Sizes{2, 3, 3, 3}), "max_pool2d(a, 5)", max_pool2d(in[0], {5}));
  ROW((Sizes{6, 7}), "max_pool2d(a, 2)", max_pool2d(in[0], {2}));
#undef ROW
  test::expect_as_torch(rows);
}

TEST(TorchPooling, PlacesOfMaxima) {
  std::vector<TorchRow> rows;
#define ROW(sizes, call, ...)                                                              \
  rows.push_back({"torch.nn.functional." call, {sizes}, kWithGradients, [](const In& in) { \
                    const auto [values, indices] = __VA_ARGS__;                            \
                    return Out{values, indices};                                           \
                  }})
  ROW((Sizes{2, 3, 9}), "max_pool1d(a, 3, 2, 1, 2, return_indices=True)",
      max_pool1d_with_indices(in[0], {3}, {.stride = {2}, .padding = {1}, .dilation = {2}}));
  ROW((Sizes{2, 3, 7, 8}), "max_pool2d(a.round(), 3, 2, 1, ceil_mode=True, return_indices=True)",
      max_pool2d_with_indices(in[0].round(), {3}, {.stride = {2}, .padding = {1}, .ceil_mode = true}));
  ROW((Sizes{2, 3, 17, 40}), "max_pool2d(a, (3, 5), (1, 3), (1, 2), return_indices=True)",
      max_pool2d_with_indices(in[0], {3, 5}, {.stride = {1, 3}, .padding = {1, 2}}));
  ROW((Sizes{3, 7}), "adaptive_max_pool1d(a, 4, return_indices=True)",
      adaptive_max_pool1d_with_indices(in[0], {4}));
  ROW((Sizes{2, 3, 7, 5}), "adaptive_max_pool2d(a, (3, 2), return_indices=True)",
      adaptive_max_pool2d_with_indices(in[0], {3, 2}));
#undef ROW
  test::expect_as_torch(rows);
}

TEST(TorchPooling, MeansOfWindows) {
  std::vector<TorchRow> rows;
#define ROW(sizes, call, ...) \
  rows.push_back(             \
      {"torch.nn.functional." call, {sizes}, kReal, [](const In& in) { return Out{__VA_ARGS__}; }, 16, 16})
  ROW((Sizes{2, 3, 9}), "avg_pool1d(a, 2)", avg_pool1d(in[0], {2}));
  ROW((Sizes{3, 9}), "avg_pool1d(a, 3, 1, 1)", avg_pool1d(in[0], {3}, {.stride = {1}, .padding = {1}}));
  ROW((Sizes{2, 3, 9}), "avg_pool1d(a, 3, 2, 1, count_include_pad=False)",
      avg_pool1d(in[0], {3}, {.stride = {2}, .padding = {1}, .count_include_pad = false}));
  ROW((Sizes{2, 3, 10}), "avg_pool1d(a, 4, 3, 2, ceil_mode=True)",
      avg_pool1d(in[0], {4}, {.stride = {3}, .padding = {2}, .ceil_mode = true}));
  ROW((Sizes{2, 3, 10}), "avg_pool1d(a, 4, 3, 2, ceil_mode=True, count_include_pad=False)",
      avg_pool1d(in[0], {4}, {.stride = {3}, .padding = {2}, .ceil_mode = true, .count_include_pad = false}));
  ROW((Sizes{2, 3, 6, 7}), "avg_pool2d(a, 2)", avg_pool2d(in[0], {2}));
  ROW((Sizes{3, 6, 7}), "avg_pool2d(a, (2, 3), (1, 2), (1, 1))",
      avg_pool2d(in[0], {2, 3}, {.stride = {1, 2}, .padding = {1, 1}}));
  ROW((Sizes{2, 3, 6, 7}), "avg_pool2d(a, 3, 2, 1, True, False)",
      avg_pool2d(in[0], {3}, {.stride = {2}, .padding = {1}, .ceil_mode = true, .count_include_pad = false}));
  ROW((Sizes{2, 3, 6, 7}), "avg_pool2d(a, 3, 2, divisor_override=5)",
      avg_pool2d(in[0], {3}, {.stride = {2}, .divisor_override = 5}));
  ROW((Sizes{2, 3, 7}), "adaptive_avg_pool1d(a, 4)", adaptive_avg_pool1d(in[0], {4}));
  ROW((Sizes{2, 3, 7, 5}), "adaptive_avg_pool2d(a, 1)", adaptive_avg_pool2d(in[0], {1}));
  ROW((Sizes{3, 7, 5}), "adaptive_avg_pool2d(a, (9, 2))", adaptive_avg_pool2d(in[0], {9, 2}));
  ROW((Sizes{2, 3, 7, 5}), "adaptive_avg_pool2d(a, (None, 3))", adaptive_avg_pool2d(in[0], {-1, 3}));
  ROW((Sizes{2, 3, 5, 6}), "avg_pool2d(a.transpose(2, 3), 2, 1)",
      avg_pool2d(in[0].transpose(2, 3), {2}, {.stride = {1}}));
  ROW((Sizes{2, 3, 17, 40}), "avg_pool2d(a, (3, 5), (2, 3), (1, 2), True)",
      avg_pool2d(in[0], {3, 5}, {.stride = {2, 3}, .padding = {1, 2}, .ceil_mode = true}));
  ROW((Sizes{2, 2, 8, 9}), "avg_pool2d(a, 2, 3, ceil_mode=True, divisor_override=-3)",
      avg_pool2d(in[0], {2}, {.stride = {3}, .ceil_mode = true, .divisor_override = -3}));
  ROW((Sizes{1, 2, 64, 130}), "avg_pool2d(a, 3, 1, 1)",
      avg_pool2d(in[0], {3}, {.stride = {1}, .padding = {1}}));
  ROW((Sizes{2, 3, 40, 50}), "adaptive_avg_pool2d(a, (7, 60))", adaptive_avg_pool2d(in[0], {7, 60}));
  ROW((Sizes{2, 3, 7, 5}), "adaptive_avg_pool2d(a.detach(), (0, 3))",
      adaptive_avg_pool2d(in[0].detach(), {0, 3}));
  ROW((Sizes{0, 3, 4, 4}), "avg_pool2d(a, 2)", avg_pool2d(in[0], {2}));
  // Refused by both.
  ROW((Sizes{2, 3, 0}), "avg_pool1d(a, 2, padding=1)", avg_pool1d(in[0], {2}, {.padding = {1}}));
  ROW((Sizes{2, 3, 0}), "adaptive_avg_pool1d(a, 2)", adaptive_avg_pool1d(in[0], {2}));
  ROW((Sizes{2, 3, 0, 4}), "adaptive_avg_pool2d(a, (None, 2))", adaptive_avg_pool2d(in[0], {-1, 2}));
  ROW((Sizes{2, 3, 6, 7}), "avg_pool2d(a, 2, divisor_override=0)",
      avg_pool2d(in[0], {2}, {.divisor_override = 0}));
  ROW((Sizes{2, 3, 9}), "avg_pool1d(a, 2, padding=2)", avg_pool1d(in[0], {2}, {.padding = {2}}));
  ROW((Sizes{7}), "adaptive_avg_pool1d(a, 4)", adaptive_avg_pool1d(in[0], {4}));
#undef ROW
  test::expect_as_torch(rows);
}

TEST(Pooling, MeansOfInfinityAndNan) {
  const Tensor x =
      tensor({1.0, test::kInfinity, 2.0, 3.0, test::kNan, 4.0, -test::kInfinity, test::kInfinity});
  const Tensor means = avg_pool1d(x.view({1, 8}), {2});
  EXPECT_EQ(means[0][0].item<double>(), test::kInfinity);
  EXPECT_EQ(means[0][1].item<double>(), 2.5);
  EXPECT_TRUE(means.isnan().equal(tensor({0, 0, 1, 1}).view({1, 4}).to(bool_)));
}

TEST(Pooling, MeansAreRoundedOnce) {
  const Tensor x = test::uniform({2, 3, 9, 10}, float32).to(bfloat16);
  const AvgPoolOptions options{.stride = {2}, .padding = {1}};
  EXPECT_TRUE(avg_pool2d(x, {3}, options).equal(avg_pool2d(x.to(float32), {3}, options).to(bfloat16)));
  EXPECT_TRUE(adaptive_avg_pool2d(x, {4}).equal(adaptive_avg_pool2d(x.to(float32), {4}).to(bfloat16)));
}

TEST(Pooling, NanIsTheLargest) {
  for (const Dtype dtype : {float64, float32, float16, bfloat16, float8_e4m3fn}) {
    const Tensor x = tensor({1.0, test::kNan, test::kNan, 0.5, 3.0, 4.0}).view({1, 6}).to(dtype);
    const auto [largest, places] = max_pool1d_with_indices(x, {3});
    EXPECT_EQ(largest.dtype(), dtype);
    EXPECT_TRUE(largest[0][0].isnan().item<bool>());
    EXPECT_EQ(largest[0][1].to(float64).item<double>(), 4);
    EXPECT_TRUE(equal(places, tensor({2, 5}).view({1, 2}))) << "the last NaN";
  }
}

TEST(Pooling, InfinityIsAnElementAndPaddingIsNot) {
  const double least = -test::kInfinity;
  const Tensor x = full({1, 4, 4}, least).requires_grad_();
  const auto [largest, places] = max_pool2d_with_indices(x, {3}, {.stride = {2}, .padding = {1}});
  EXPECT_TRUE(equal(places, tensor({0, 1, 4, 5}).view({1, 2, 2})));
  // A window of which only padding is in reach has no gradient to give.
  const Tensor two = tensor({1.0, 2.0}).view({1, 2}).requires_grad_();
  const auto [padding, nowhere] = max_pool1d_with_indices(two, {2}, {.padding = {1}, .dilation = {3}});
  EXPECT_EQ(padding.item<double>(), least);
  EXPECT_EQ(nowhere.item<std::int64_t>(), -1);
  padding.sum().backward();
  EXPECT_TRUE(equal(two.grad(), zeros({1, 2})));
}

TEST(Pooling, OfNothing) {
  EXPECT_EQ(max_pool2d(zeros({0, 3, 4, 4}), {2}).sizes(), (Sizes{0, 3, 2, 2}));
  const Tensor x = zeros({2, 0, 4}).requires_grad_();
  max_pool1d(x, {2}).sum().backward();
  EXPECT_EQ(x.grad().sizes(), (Sizes{2, 0, 4}));
  x.mutable_grad() = Tensor();
  avg_pool1d(x, {2}).sum().backward();
  EXPECT_EQ(x.grad().sizes(), (Sizes{2, 0, 4}));
}

TEST(Pooling, ErrorsNameTheArgument) {
  const Tensor x = test::uniform({2, 3, 8}, float32);
  expect_error([&] { max_pool1d(x, {2}, {.padding = {2}}); },
               "max_pool1d: padding must be at most half of kernel_size, 1, not 2");
  expect_error([&] { avg_pool1d(x, {9}); },
               "avg_pool1d: the kernel must be no larger than the padded input, of 8 elements, not over 9");
  expect_error([&] { adaptive_avg_pool1d(x, {-2}); },
               "adaptive_avg_pool1d: output_size must be one size from -1 to 2^31 - 1, not [-2]");
}

}  // namespace
}  // namespace lectern
