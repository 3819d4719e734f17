#include <gtest/gtest.h>

#include "autograd/gradcheck.h"
#include "nn/batch_norm.h"
#include "nn/group_norm.h"
#include "nn/made.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "ops/random.h"
#include "ops/torch_reference.h"

// Norms of batches and of groups of channels.

namespace lectern::nn {
namespace {

using test::expect_error;
using test::In;
using test::kReal;
using test::learnt;
using test::made;
using test::Out;
using test::TorchRow;

constexpr double kNorms = 64;

/// Numbers that are nowhere nearly equal, of which a norm would be a matter of rounding.
Tensor scattered(const Tensor& numbers) {
  const Tensor steps = arange(numbers.numel(), {.device = cpu}) * 7919 % 2039;
  return numbers + (steps.to(numbers.device(), numbers.dtype()) / 1020 - 1).reshape(numbers.sizes());
}

/// The output and gradients of a second call, after one that updated the running statistics, in training or
/// in evaluation; and these statistics.
template <typename Norm, typename... Arguments>
TorchRow batch_row(const std::string& make, const Sizes& sizes, bool trains, const std::vector<Dtype>& dtypes,
                   const Arguments&... arguments) {
  return {"modules.after_a_batch(modules.made(lambda: torch.nn." + make +
              ", a.dtype), modules.scattered(b), "
              "modules.scattered(a), " +
              (trains ? "True" : "False") + ")",
          {sizes, sizes},
          dtypes,
          [=](const In& in) {
            auto norm = made<Norm>(in[0], arguments...);
            norm(scattered(in[1].detach()));
            norm.train(trains);
            Out values = learnt(norm, [&] { return norm(scattered(in[0])); });
            for (const auto& [name, buffer] : norm.named_buffers()) values.push_back(buffer);
            return values;
          },
          kNorms,
          kNorms};
}

TEST(TorchNorms, OfBatches) {
  std::vector<TorchRow> rows;
  for (const bool trains : {true, false}) {
    rows.push_back(batch_row<BatchNorm1d>("BatchNorm1d(5)", {6, 5}, trains, kReal, 5));
    rows.push_back(batch_row<BatchNorm1d>("BatchNorm1d(5)", {4, 5, 3}, trains, kReal, 5));
    rows.push_back(batch_row<BatchNorm2d>("BatchNorm2d(3)", {2, 3, 4, 5}, trains, kReal, 3));
    rows.push_back(batch_row<BatchNorm2d>("BatchNorm2d(3)", {0, 3, 4, 5}, trains, kReal, 3));
    rows.push_back(batch_row<BatchNorm2d>("BatchNorm2d(3, eps=0.1, momentum=None)", {2, 3, 4, 5}, trains,
                                          kReal, 3, BatchNormOptions{.eps = 0.1, .momentum = {}}));
    rows.push_back(batch_row<BatchNorm1d>("BatchNorm1d(5, affine=False, momentum=0.6)", {6, 5}, trains, kReal,
                                          5, BatchNormOptions{.momentum = 0.6, .affine = false}));
    rows.push_back(batch_row<BatchNorm1d>("BatchNorm1d(5, track_running_stats=False)", {6, 5}, trains, kReal,
                                          5, BatchNormOptions{.track_running_stats = false}));
  }
  rows.push_back(batch_row<BatchNorm1d>("BatchNorm1d(5)", {1, 5}, true, kReal, 5));
  rows.push_back(batch_row<BatchNorm1d>("BatchNorm1d(5)", {2, 4}, true, kReal, 5));
  rows.push_back(batch_row<BatchNorm2d>("BatchNorm2d(5)", {2, 5}, true, kReal, 5));
  test::expect_as_torch(rows);
}

TEST(TorchNorms, OfGroups) {
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& make, const Sizes& sizes, std::int64_t groups,
                       std::int64_t channels, const GroupNormOptions& options) {
    rows.push_back(
        {"modules.learnt(modules.made(lambda: torch.nn." + make + ", a.dtype), modules.scattered(a))",
         {sizes},
         kReal,
         [=](const In& in) {
           const auto norm = made<GroupNorm>(in[0], groups, channels, options);
           return learnt(norm, [&] { return norm(scattered(in[0])); });
         },
         kNorms,
         kNorms});
  };
  add("GroupNorm(2, 6)", {3, 6, 5}, 2, 6, {});
  add("GroupNorm(3, 6, eps=0.1)", {2, 6, 4, 5}, 3, 6, {.eps = 0.1});
  add("GroupNorm(1, 6, affine=False)", {3, 6}, 1, 6, {.affine = false});
  add("GroupNorm(6, 6)", {2, 6, 7}, 6, 6, {});
  add("GroupNorm(2, 6)", {3, 4, 5}, 2, 6, {});
  test::expect_as_torch(rows);
}

TEST(Norms, GradientsAreDerivatives) {
  manual_seed(3);
  const auto expect_derivatives = [](auto norm, const Sizes& sizes) {
    norm.to(float64);
    std::vector<Tensor> inputs = norm.parameters();
    inputs.push_back(randn(sizes, {.dtype = float64, .requires_grad = true}));
    EXPECT_TRUE(autograd::gradcheck([&](const std::vector<Tensor>& in) { return norm(in.back()); }, inputs));
    norm.eval();
    EXPECT_TRUE(autograd::gradcheck([&](const std::vector<Tensor>& in) { return norm(in.back()); }, inputs));
  };
  expect_derivatives(GroupNorm(2, 4), {3, 4, 2});
  expect_derivatives(BatchNorm1d(3), {4, 3});
  expect_derivatives(BatchNorm2d(2), {2, 2, 2, 3});
}

TEST(Norms, OfSixteenBits) {
  for (const Dtype dtype : {bfloat16, float16}) {
    const Tensor x = test::uniform({8, 4, 5}, dtype);
    const Tensor wide = x.to(float64);
    const BatchNormOptions of_batch{.dtype = dtype};
    BatchNorm1d norm(4, of_batch), exact(4, {.dtype = float64});
    const double tolerance = dtype == bfloat16 ? 3e-2 : 4e-3;
    EXPECT_EQ(norm(x).dtype(), dtype);
    EXPECT_TRUE(norm(x).to(float64).allclose(exact(wide), tolerance, tolerance));
    exact(wide);
    norm.eval(), exact.eval();
    EXPECT_EQ(norm(x).dtype(), dtype);
    EXPECT_TRUE(norm(x).to(float64).allclose(exact(wide), tolerance, tolerance));
    const GroupNorm groups(2, 4, {.dtype = dtype}), exact_groups(2, 4, {.dtype = float64});
    EXPECT_TRUE(groups(x).to(float64).allclose(exact_groups(wide), tolerance, tolerance));
  }
}

TEST(Norms, OfNothing) {
  EXPECT_EQ(GroupNorm(2, 4)(zeros({0, 4, 3})).sizes(), (Sizes{0, 4, 3}));
  BatchNorm2d norm(3);
  norm.eval();
  EXPECT_EQ(norm(zeros({0, 3, 2, 2})).sizes(), (Sizes{0, 3, 2, 2}));
}

TEST(Norms, KeepTheirStatisticsInTheState) {
  BatchNorm1d norm(2), other(2);
  norm(tensor({{1., 2}, {3, 6}}));
  EXPECT_TRUE(norm.running_mean.allclose(tensor({0.2, 0.4})));
  EXPECT_TRUE(norm.running_var.allclose(tensor({0.9 + 0.2, 0.9 + 0.8})));
  std::vector<std::string> names;
  const StateDict state = norm.state_dict();
  for (const auto& [name, value] : state) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"weight", "bias", "running_mean", "running_var",
                                             "num_batches_tracked"}));
  other.load_state_dict(norm.state_dict());
  other.eval(), norm.eval();
  const Tensor x = tensor({{5., 6}});
  EXPECT_TRUE(other(x).equal(norm(x)));
  EXPECT_EQ(other.num_batches_tracked.item<std::int64_t>(), 1);
  other.reset_running_stats();
  EXPECT_TRUE(other.running_mean.equal(zeros({2})));
  EXPECT_TRUE(other.running_var.equal(ones({2})));
  EXPECT_EQ(other.num_batches_tracked.item<std::int64_t>(), 0);
}

TEST(Norms, PrintAndRefuse) {
  EXPECT_EQ(to_string(BatchNorm1d(3)),
            "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)");
  EXPECT_EQ(to_string(BatchNorm2d(3, {.momentum = {}, .affine = false, .track_running_stats = false})),
            "BatchNorm2d(3, eps=1e-05, momentum=None, affine=False, track_running_stats=False)");
  EXPECT_EQ(to_string(GroupNorm(2, 4)), "GroupNorm(2, 4, eps=1e-05, affine=True)");
  expect_error(
      [] {
        BatchNorm1d(3)(zeros({2, 4}));
      },
      "BatchNorm1d: the input must be of shape [N, 3] or [N, 3, L], not of shape [2, 4]");
  expect_error(
      [] {
        BatchNorm2d(3)(zeros({2, 3}));
      },
      "BatchNorm2d: the input must be of shape [N, 3, H, W], not of shape [2, 3]");
  expect_error(
      [] {
        BatchNorm1d(3)(zeros({1, 3}));
      },
      "batch_norm: the elements of each channel must be more than one, to have a variance, not those of "
      "shape "
      "[1, 3]");
  expect_error([] { GroupNorm(4, 6); }, "GroupNorm: num_groups must be a divisor of the 6 channels, not 4");
  expect_error(
      [] {
        GroupNorm(2, 6)(zeros({2, 4}));
      },
      "GroupNorm: the input must be of shape [N, 6, …], not of shape [2, 4]");
}

}  // namespace
}  // namespace lectern::nn
