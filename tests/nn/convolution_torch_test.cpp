#include <gtest/gtest.h>

#include "nn/activations.h"
#include "nn/convolution.h"
#include "nn/made.h"
#include "nn/pooling.h"
#include "nn/sequential.h"
#include "ops/expect_error.h"
#include "ops/torch_reference.h"

// Convolutions as modules: what is drawn, computed, learnt and printed, beside PyTorch.

namespace lectern::nn {
namespace {

using test::expect_error;
using test::In;
using test::kReal;
using test::learnt;
using test::made;
using test::TorchRow;

template <typename Module, typename... Arguments>
TorchRow convolution_row(const std::string& make, const Sizes& sizes, const Arguments&... arguments) {
  return {"modules.learnt(modules.made(lambda: torch.nn." + make + ", a.dtype), a)",
          {sizes},
          kReal,
          [=](const In& in) {
            const auto module = made<Module>(in[0], arguments...);
            return learnt(module, [&] { return module(in[0]); });
          },
          64,
          64};
}

TEST(TorchModules, Convolutions) {
  std::vector<TorchRow> rows;
  rows.push_back(convolution_row<Conv1d>("Conv1d(3, 4, 3)", {2, 3, 8}, 3, 4, Sizes{3}));
  rows.push_back(convolution_row<Conv1d>(
      "Conv1d(4, 6, 3, stride=2, padding=1, groups=2, bias=False)", {4, 9}, 4, 6, Sizes{3},
      ConvOptions{.stride = {2}, .padding = {1}, .groups = 2, .bias = false}));
  rows.push_back(convolution_row<Conv1d>("Conv1d(3, 4, 4, padding='same', padding_mode='reflect')", {2, 3, 8},
                                         3, 4, Sizes{4},
                                         ConvOptions{.padding = "same", .padding_mode = "reflect"}));
  rows.push_back(convolution_row<Conv2d>("Conv2d(3, 4, 3, padding=(1, 2), padding_mode='circular')",
                                         {2, 3, 5, 6}, 3, 4, Sizes{3},
                                         ConvOptions{.padding = {1, 2}, .padding_mode = "circular"}));
  rows.push_back(convolution_row<Conv2d>("Conv2d(3, 4, 3, padding=1)", {2, 3, 5, 6}, 3, 4, Sizes{3},
                                         ConvOptions{.padding = {1}}));
  rows.push_back(convolution_row<Conv2d>(
      "Conv2d(3, 4, (3, 2), padding=(2, 1), dilation=(1, 2), padding_mode='replicate')", {2, 3, 5, 6}, 3, 4,
      Sizes{3, 2}, ConvOptions{.padding = {2, 1}, .dilation = {1, 2}, .padding_mode = "replicate"}));
  rows.push_back(
      {"modules.learnt(modules.made(lambda: torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), "
       "torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(4, 6, 3), torch.nn.ReLU(), "
       "torch.nn.AdaptiveAvgPool2d(1)), a.dtype), a)",
       {{2, 1, 12, 12}},
       kReal,
       [](const In& in) {
         const test::OnCpu on_cpu;
         manual_seed(1);
         Sequential module;
         module.push_back(Conv2d(1, 4, {3}));
         module.push_back(ReLU());
         module.push_back(MaxPool2d({2}));
         module.push_back(Conv2d(4, 6, {3}));
         module.push_back(ReLU());
         module.push_back(AdaptiveAvgPool2d({1}));
         module.to(in[0].device(), in[0].dtype());
         return learnt(module, [&] { return module(in[0]); });
       },
       128,
       128});
  test::expect_as_torch(rows);
}

// As PyTorch 1.13 prints them.
TEST(Convolutions, PrintTheirOptions) {
  EXPECT_EQ(Conv1d(3, 4, {3}).extra_repr(), "3, 4, kernel_size=(3,), stride=(1,)");
  EXPECT_EQ(Conv2d(4, 8, {3, 2}, {.stride = {2}, .padding = {1}, .dilation = {2}, .groups = 2, .bias = false})
                .extra_repr(),
            "4, 8, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1), dilation=(2, 2), groups=2, bias=False");
  EXPECT_EQ(Conv1d(3, 4, {3}, {.padding = "same", .padding_mode = "reflect"}).extra_repr(),
            "3, 4, kernel_size=(3,), stride=(1,), padding=same, padding_mode=reflect");
  EXPECT_EQ(MaxPool2d({2}).extra_repr(), "kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False");
  EXPECT_EQ(AvgPool2d({2, 3}, {.stride = {1}}).extra_repr(), "kernel_size=(2, 3), stride=1, padding=0");
  EXPECT_EQ(AvgPool1d({2}).extra_repr(), "kernel_size=(2,), stride=(2,), padding=(0,)");
  EXPECT_EQ(AdaptiveAvgPool2d({1}).extra_repr(), "output_size=1");
}

TEST(Convolutions, RefuseOptionsWhenTheyAreMade) {
  expect_error([] { Conv1d(3, 4, {3}, {.groups = 2}); },
               "Conv1d: in_channels and out_channels must be positive multiples of groups, 2, not 3 and 4");
  expect_error(
      [] { Conv2d(3, 4, {3}, {.padding_mode = "constant"}); },
      "Conv2d: padding_mode must be \"zeros\", \"reflect\", \"replicate\" or \"circular\", not \"constant\"");
  expect_error(
      [] {
        Conv2d(3, 4, {1, 2, 3});
      },
      "Conv2d: kernel_size must be one size or 2 from 1 to 2^31 - 1, not [1, 2, 3]");
}

}  // namespace
}  // namespace lectern::nn
