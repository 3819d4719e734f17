#include "ops/gather.h"

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "ops/drawn_indices.h"
#include "ops/expect_error.h"
#include "ops/gradients_of.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"

namespace lectern {
namespace {

using test::draw_indices;
using test::expect_error;
using test::In;
using test::kEvery;
using test::kReal;
using test::Out;

const std::vector<Dtype> kGathered = {float64, float32, bfloat16, int64, int32, int16, int8, uint8};

TEST(Gather, AsPyTorch) {
  const auto i = draw_indices({4, 2, 6}, 0, 5);
  const auto j = draw_indices({4, 5, 9}, 0, 6);
  const auto k = draw_indices({3, 5, 2}, 0, 4);
  const auto n = draw_indices({0, 5, 6}, 0, 4);
  const auto along = draw_indices({1, 3, 6}, 0, 5);
  const auto flat = draw_indices({11}, 0, 120);
  std::vector<test::TorchRow> rows;
  const auto add = [&](const std::string& call, const std::function<Tensor(const Tensor&)>& function,
                       const Sizes& sizes = {4, 5, 6}) {
    rows.push_back({call, {sizes}, kEvery, [=](const In& in) { return Out{function(in[0])}; }});
  };
  add("a.gather(1, " + i.python + ")", [=](const Tensor& a) { return a.gather(1, i.tensor); });
  add("a.gather(-1, " + j.python + ")", [=](const Tensor& a) { return a.gather(-1, j.tensor); });
  add("a.gather(0, " + k.python + ")", [=](const Tensor& a) { return a.gather(0, k.tensor); });
  add("a.gather(0, " + n.python + ")", [=](const Tensor& a) { return a.gather(0, n.tensor); });
  add("a.gather(0, torch.tensor(0))", [=](const Tensor& a) { return a.gather(0, tensor(0)); }, {});
  add("a.gather(0, torch.tensor([0, 0]))", [=](const Tensor& a) { return a.gather(0, tensor({0, 0})); }, {});
  add("torch.take_along_dim(a, " + along.python + ", 1)",
      [=](const Tensor& a) { return take_along_dim(a, along.tensor, 1); });
  add("torch.take_along_dim(a.contiguous(), " + flat.python + ")",
      [=](const Tensor& a) { return take_along_dim(a, flat.tensor); });
  // What both refuse.
  add("a.gather(1, torch.tensor([0]))", [=](const Tensor& a) { return a.gather(1, tensor({0})); });
  add("a.gather(3, " + i.python + ")", [=](const Tensor& a) { return a.gather(3, i.tensor); });
  add("a.gather(0, " + j.python + ")", [=](const Tensor& a) { return a.gather(0, j.tensor); });
  add("a.gather(1, " + i.python + ".int())",
      [=](const Tensor& a) { return a.gather(1, i.tensor.to(int32)); });
  test::expect_as_torch(rows);
}

TEST(Scatter, AsPyTorch) {
  const auto meeting = draw_indices({3, 4}, 0, 5);
  const auto deep = draw_indices({2, 3, 2}, 0, 3);
  const std::string apart = "torch.tensor([[4, 1, 0, 2], [0, 3, 1, 4]])";
  const Tensor different = tensor({{4, 1, 0, 2}, {0, 3, 1, 4}});
  test::expect_as_torch({
      {"a.scatter_add(1, " + meeting.python + ", b)",
       {{3, 5}, {3, 4}},
       kGathered,
       [=](const In& in) { return Out{scatter_add(in[0], 1, meeting.tensor, in[1])}; },
       8,
       8},
      {"a.scatter_add(0, " + deep.python + ", b)",
       {{3, 3, 2}, {2, 3, 4}},
       kGathered,
       [=](const In& in) { return Out{scatter_add(in[0], 0, deep.tensor, in[1])}; },
       8,
       8,
       false},  // PyTorch has gradients for an index of the source's shape only
      {"a.clone().scatter_add_(1, " + apart + ", b)",
       {{2, 5}, {2, 4}},
       kEvery,
       [=](const In& in) { return Out{in[0].clone().scatter_add_(1, different, in[1])}; }},
      {"a.scatter(1, " + apart + ", b)",
       {{2, 5}, {2, 4}},
       kEvery,
       [=](const In& in) { return Out{scatter(in[0], 1, different, in[1])}; }},
      {"a.scatter(1, " + apart + ", 1)",
       {{3, 5}},
       kEvery,
       [=](const In& in) { return Out{scatter(in[0], 1, different, 1)}; }},
      {"a.t().clone().t().scatter_(1, " + apart + ", b)",
       {{3, 5}, {2, 6}},
       kEvery,
       [=](const In& in) { return Out{in[0].t().clone().t().scatter_(1, different, in[1])}; },
       0,
       0,
       false},
      {"a.scatter(0, torch.tensor(0), b)",
       {{}, {}},
       kEvery,
       [=](const In& in) { return Out{scatter(in[0], 0, tensor(0), in[1])}; }},
      {"a.scatter(0, torch.zeros(0, 5, dtype=torch.int64), b)",
       {{2, 5}, {2, 4}},
       kEvery,
       [=](const In& in) {
         return Out{scatter(in[0], 0, zeros({0, 5}, {.dtype = int64}), in[1])};
       },
       0,
       0,
       false},
      // What both refuse.
      {"a.scatter(1, " + apart + ", b)",
       {{1, 5}, {2, 4}},
       kReal,
       [=](const In& in) { return Out{scatter(in[0], 1, different, in[1])}; }},
      {"a.scatter(1, " + apart + ", b)",
       {{2, 5}, {2, 3}},
       kReal,
       [=](const In& in) { return Out{scatter(in[0], 1, different, in[1])}; }},
      {"a.scatter(1, " + apart + ", b.to(torch.int16))",
       {{2, 5}, {2, 4}},
       kReal,
       [=](const In& in) { return Out{scatter(in[0], 1, different, in[1].to(int16))}; }},
  });
}

TEST(Gather, GradientsAsPyTorch) {
  const auto i = draw_indices({4, 7}, 0, 5);
  const auto apart = draw_indices({4, 1}, 0, 5);
  const std::string index = i.python;
  test::expect_as_torch({
      {"(lambda x: torch.autograd.grad(x.gather(1, " + index + "), x, b))(a.clone().requires_grad_())",
       {{4, 5}, {4, 7}},
       kReal,
       [=](const In& in) {
         return Out{test::gradient_of([&](const Tensor& x) { return x.gather(1, i.tensor); }, in[0], in[1])};
       },
       4,
       8},
      {"(lambda x: torch.autograd.grad(x.scatter(1, " + apart.python +
           ", 2), x, b))(a.clone().requires_grad_())",
       {{4, 5}, {4, 5}},
       kReal,
       [=](const In& in) {
         return Out{
             test::gradient_of([&](const Tensor& x) { return x.scatter(1, apart.tensor, 2); }, in[0], in[1])};
       }},
      {"(lambda x: torch.autograd.grad(a.scatter_add(1, " + index +
           ", x), x, a))(b.clone().requires_grad_())",
       {{4, 5}, {4, 7}},
       kReal,
       [=](const In& in) { return Out{gather(in[0], 1, i.tensor)}; }},
  });
}

TEST(Scatter, TheLastOfSeveralValuesStays) {
  for (const Dtype dtype : test::kAllDtypes) {
    const Tensor x = zeros({2, 3}, {.dtype = dtype});
    x.scatter_(1, tensor({{1, 1, 1}, {2, 0, 2}}), tensor({{0, 0, 1}, {0, 1, 1}}).to(dtype));
    EXPECT_TRUE(x.to(int64).equal(tensor({{0, 1, 0}, {1, 0, 1}}))) << name(dtype);
  }
}

TEST(Scatter, AddsUpTheSameBitsOnEveryDevice) {
  const Tensor index = draw_indices({3, 9000}, 0, 11).tensor;
  for (const Dtype dtype : {float32, bfloat16, float8_e5m2}) {
    const Tensor source = test::uniform({3, 9000}, dtype);
    const Tensor there = zeros({3, 11}, {.dtype = dtype}).scatter_add_(1, index, source);
    const Tensor here =
        zeros({3, 11}, {.dtype = dtype, .device = cpu}).scatter_add_(1, index.cpu(), source.cpu());
    EXPECT_TRUE(test::same_bits(there, here)) << name(dtype);
  }
}

TEST(Scatter, ResultsAreContiguous) {
  const Tensor x = test::uniform({4, 3}, float32).t(), source = test::uniform({3, 4}, float32, 2);
  const Tensor places = zeros({3, 4}, {.dtype = int64}), rows = tensor({0, 2});
  for (const Tensor& result :
       {x.scatter(0, places, source), x.scatter_add(0, places, source),
        x.scatter_reduce(0, places, source, "amax"), x.index_add(0, rows, source.slice(0, 0, 2)),
        x.index_copy(0, rows, source.slice(0, 0, 2)), x.masked_scatter(source > 0, source),
        x.masked_fill(source > 0, 0)})
    EXPECT_TRUE(result.is_contiguous());
}

TEST(Gather, ErrorsNameWhatIsWrong) {
  const Tensor x = zeros({2, 3});
  expect_error([&] { x.gather(1, tensor({{0}}).to(float32)); },
               "gather: the dtype of the index must be int64, not float32");
  expect_error([&] { x.gather(1, tensor({0})); },
               "gather: index must be of 2 dimensions, as the tensor, not of shape [1]");
  expect_error(
      [&] {
        x.gather(1, zeros({3, 1}, {.dtype = int64}));
      },
      "gather: index must be at most of the size of the tensor in dimension 0, 2, not of shape [3, 1]");
  expect_error(
      [&] {
        x.scatter_(1, zeros({2, 1}, {.dtype = int64}), zeros({1, 1}));
      },
      "scatter_: index must be at most of the size of the source in dimension 0, 1, not of shape [2, 1]");
  expect_error(
      [&] {
        x.scatter_add_(1, zeros({2, 1}, {.dtype = int64}), zeros({2, 1}, {.dtype = int8}));
      },
      "scatter_add_: the dtype of the source must be that of the tensor, float32; convert with to(), not "
      "int8");
  expect_error([&] { take_along_dim(x, tensor({0}), 1); },
               "take_along_dim: indices must be of 2 dimensions, as the tensor, not of shape [1]");
  if (default_device().is_cuda()) {
    expect_error(
        [&] {
          x.gather(1, tensor({{3}}));
          cuda::synchronize();
        },
        "gather: index 3 is out of range for a dimension of size 3 (detected on the GPU: the results of this "
        "operation, and all that was computed from them, are invalid)");
  } else {
    expect_error([&] { x.gather(1, tensor({{3}})); },
                 "gather: index 3 is out of range for a dimension of size 3");
    expect_error(
        [&] {
          x.scatter_(1, tensor({{1}, {-1}}), 5);
        },
        "scatter_: index -1 is out of range for a dimension of size 3");
    EXPECT_TRUE(x.equal(zeros({2, 3})));
  }
}

}  // namespace
}  // namespace lectern
