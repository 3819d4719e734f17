// Writes at positions and where a mask is true, side by side with PyTorch's.
#include <gtest/gtest.h>

#include "ops/drawn_indices.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/gradients_of.h"
#include "ops/index_writes.h"
#include "ops/scatter_reduce.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"

namespace lectern {
namespace {

using test::draw_indices;
using test::expect_error;
using test::In;
using test::kAll;
using test::kEvery;
using test::kReal;
using test::kWithGradients;
using test::Out;
using test::TorchRow;

TEST(TorchIndexWrites, IndexFill) {
  std::vector<TorchRow> rows;
  for (const auto& [sizes, dim, low] : std::initializer_list<std::tuple<Sizes, std::int64_t, std::int64_t>>{
           {{4, 5}, 0, 0}, {{4, 5}, -1, -5}, {{2, 5, 3}, 1, 0}, {{6}, 0, -6}}) {
    const std::int64_t size = sizes[dim < 0 ? sizes.size() - 1 : static_cast<std::size_t>(dim)], at = dim;
    const auto index = draw_indices({3}, low, size);
    const bool positive = low >= 0;  // the gradient of PyTorch's value refuses negative positions
    const std::string arguments = "(" + std::to_string(dim) + ", " + index.python + ", ";
    rows.push_back({"a.index_fill" + arguments + "2)", {sizes}, kEvery, [=](const In& in) {
                      return Out{index_fill(in[0], at, index.tensor, 2)};
                    }});
    rows.push_back({"a.index_fill" + arguments + "b)",
                    {sizes, {}},
                    kEvery,
                    [=](const In& in) { return Out{in[0].index_fill(at, index.tensor, in[1])}; },
                    0,
                    8,
                    positive});
    rows.push_back({"a.clone().index_fill_" + arguments + "b)",
                    {sizes, {}},
                    kReal,
                    [=](const In& in) { return Out{in[0].clone().index_fill_(at, index.tensor, in[1])}; },
                    0,
                    8,
                    positive});
    rows.push_back({"a.clone().index_fill_" + arguments + "-1)", {sizes}, kReal, [=](const In& in) {
                      return Out{in[0].clone().index_fill_(at, index.tensor, -1)};
                    }});
  }
  const auto fill = [](const Tensor& index) {
    return [=](const In& in) { return Out{in[0].index_fill(0, index, 2)}; };
  };
  rows.push_back({"a.index_fill(0, torch.tensor([0]), 2)", {{}}, kReal, fill(tensor({0}))});
  rows.push_back({"a.index_fill(0, torch.tensor(1), 2)", {{3, 2}}, kReal, fill(tensor(1))});
  rows.push_back({"a.index_fill(0, torch.zeros(0, dtype=torch.int64), 2)",
                  {{3, 2}},
                  kReal,
                  fill(zeros({0}, {.dtype = int64}))});
  rows.push_back({"a.index_fill(0, torch.tensor([[0]]), 2)", {{3, 2}}, kReal, fill(tensor({{0}}))});
  rows.push_back(
      {"a.index_fill(0, torch.tensor([0]).int(), 2)", {{3, 2}}, kReal, fill(tensor({0}).to_int())});
  if (default_device().is_cpu())
    rows.push_back({"a.index_fill(0, torch.tensor([3]), 2)", {{3, 2}}, kReal, fill(tensor({3}))});
  rows.push_back({"a.index_fill(0, torch.tensor([0]), b)", {{3, 2}, {1}}, kReal, [](const In& in) {
                    return Out{in[0].index_fill(0, tensor({0}), in[1])};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchIndexWrites, IndexCopy) {
  std::vector<TorchRow> rows;
  const std::string order = "torch.tensor([3, 0, 1])";
  const Tensor index = tensor({3, 0, 1});
  rows.push_back({"a.index_copy(0, " + order + ", b)", {{4, 5}, {3, 5}}, kEvery, [=](const In& in) {
                    return Out{index_copy(in[0], 0, index, in[1])};
                  }});
  rows.push_back({"a.index_copy(-1, " + order + ", b)", {{2, 4}, {2, 3}}, kEvery, [=](const In& in) {
                    return Out{in[0].index_copy(-1, index, in[1])};
                  }});
  rows.push_back(
      {"a.clone().index_copy_(1, " + order + ", b)", {{2, 4, 3}, {2, 3, 3}}, kEvery, [=](const In& in) {
         return Out{in[0].clone().index_copy_(1, index, in[1])};
       }});
  rows.push_back({"a.index_copy(0, torch.tensor([0]), b)",
                  {{}, {1}},
                  kReal,
                  [](const In& in) { return Out{index_copy(in[0], 0, tensor({0}), in[1])}; },
                  0,
                  0,
                  false});
  rows.push_back({"a.index_copy(0, torch.tensor(0), b)",
                  {{}, {}},
                  kReal,
                  [](const In& in) { return Out{index_copy(in[0], 0, tensor(0), in[1])}; },
                  0,
                  0,
                  false});
  rows.push_back({"a.index_copy(0, " + order + ", b)", {{4, 5}, {3, 4}}, kReal, [=](const In& in) {
                    return Out{index_copy(in[0], 0, index, in[1])};
                  }});
  rows.push_back({"a.index_copy(0, " + order + ", b.double())", {{4}, {3}}, {float32}, [=](const In& in) {
                    return Out{index_copy(in[0], 0, index, in[1].to_double())};
                  }});
  if (default_device().is_cpu())
    rows.push_back({"a.index_copy(0, torch.tensor([-1]), b)", {{4}, {1}}, kReal, [](const In& in) {
                      return Out{index_copy(in[0], 0, tensor({-1}), in[1])};
                    }});
  test::expect_as_torch(rows);
}

TEST(TorchIndexWrites, MaskedScatter) {
  std::vector<TorchRow> rows;
  // In place PyTorch 1.13 takes the elements of other layouts in the order of memory.
  const std::string contiguous = "a.clone(memory_format=torch.contiguous_format)";
  const auto row = [&](const std::vector<Sizes>& shapes, const std::vector<Dtype>& dtypes) {
    rows.push_back({"a.masked_scatter(b > 0, c)", shapes, dtypes,
                    [](const In& in) { return Out{masked_scatter(in[0], in[1] > 0, in[2])}; }});
  };
  row({{4, 5}, {4, 5}, {4, 5}}, kEvery);
  row({{4, 5}, {5}, {30}}, kEvery);
  row({{5}, {4, 5}, {3, 7}}, kReal);
  row({{}, {}, {1}}, kReal);
  row({{0, 3}, {3}, {0}}, kReal);
  row({{40}, {40}, {1}}, kReal);
  rows.push_back({"a.masked_scatter(b > 2, c)", {{4}, {4}, {0}}, kReal, [](const In& in) {
                    return Out{in[0].masked_scatter(in[1] > 2, in[2])};
                  }});
  rows.push_back(
      {contiguous + ".masked_scatter_(b > 0, c)", {{4, 5}, {4, 1}, {20}}, kEvery, [](const In& in) {
         return Out{in[0].contiguous().clone().masked_scatter_(in[1] > 0, in[2])};
       }});
  rows.push_back({contiguous + ".masked_scatter_(b > 0, c)", {{5}, {4, 5}, {20}}, kReal, [](const In& in) {
                    return Out{in[0].contiguous().clone().masked_scatter_(in[1] > 0, in[2])};
                  }});
  rows.push_back({"a.masked_scatter(b > 0, c.double())", {{5}, {5}, {5}}, {float32}, [](const In& in) {
                    return Out{masked_scatter(in[0], in[1] > 0, in[2].to_double())};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchScatterReduce, AsPyTorch) {
  std::vector<TorchRow> rows;
  for (const std::string reduce : {"sum", "prod", "mean", "amax", "amin"}) {
    for (const bool include_self : {true, false}) {
      for (const auto& [sizes, dim, index_sizes] :
           std::initializer_list<std::tuple<Sizes, std::int64_t, Sizes>>{{{4, 5}, 0, {7, 5}},
                                                                         {{4, 5}, 1, {4, 9}},
                                                                         {{2, 3, 4}, -2, {2, 8, 3}},
                                                                         {{6}, 0, {40}},
                                                                         {{5}, 0, {0}}}) {
        const auto at =
            static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(sizes.size()) : dim);
        const auto index = draw_indices(index_sizes, 0, sizes[at]);
        const std::int64_t along = dim;
        const std::string arguments = "_reduce(" + std::to_string(dim) + ", " + index.python + ", b, '" +
                                      reduce + "', include_self=" + (include_self ? "True" : "False") + ")";
        rows.push_back({"a.scatter" + arguments,
                        {sizes, index_sizes},
                        kAll,
                        [=](const In& in) {
                          return Out{scatter_reduce(in[0], along, index.tensor, in[1], reduce, include_self)};
                        },
                        24,
                        24,
                        reduce != "mean" || include_self});
        rows.push_back(
            {"a.clone().scatter" + std::string("_reduce_") + arguments.substr(7),
             {sizes, index_sizes},
             kReal,
             [=](const In& in) {
               return Out{in[0].clone().scatter_reduce_(along, index.tensor, in[1], reduce, include_self)};
             },
             24,
             24});
      }
    }
  }
  test::expect_as_torch(rows);
}

TEST(TorchScatterReduce, OfZerosAndErrors) {
  std::vector<TorchRow> rows;
  for (const std::string reduce : {"sum", "prod", "mean", "amax", "amin"}) {
    const std::string zeros_among =
        "torch.tensor([0, 0, 1, 1, 2, 2]), b * torch.tensor([0, 1, 0, 0, 1, 1]), '" + reduce + "')";
    rows.push_back({"a.scatter_reduce(0, " + zeros_among,
                    {{4}, {6}},
                    kReal,
                    [=](const In& in) {
                      const Tensor source = in[1] * tensor({0, 1, 0, 0, 1, 1});
                      return Out{in[0].scatter_reduce(0, tensor({0, 0, 1, 1, 2, 2}), source, reduce)};
                    },
                    24,
                    24});
    rows.push_back({"a.scatter_reduce(0, torch.tensor([0, 2]), b, '" + reduce + "')",
                    {{4}, {1}},
                    kReal,
                    [=](const In& in) {
                      return Out{scatter_reduce(in[0], 0, tensor({0, 2}), in[1], reduce)};
                    }});
  }
  rows.push_back({"a.scatter_reduce(0, torch.tensor([0]), b, 'median')", {{4}, {1}}, kReal, [](const In& in) {
                    return Out{scatter_reduce(in[0], 0, tensor({0}), in[1], "median")};
                  }});
  rows.push_back(
      {"a.scatter_reduce(0, torch.tensor([0]), b.double(), 'prod')", {{4}, {1}}, {float32}, [](const In& in) {
         return Out{scatter_reduce(in[0], 0, tensor({0}), in[1].to_double(), "prod")};
       }});
  test::expect_as_torch(rows);
}

TEST(ScatterReduce, HasTheSameBitsOnEveryDevice) {
  const Tensor index = draw_indices({50000}, 0, 11).tensor;
  for (const Dtype dtype : {float32, bfloat16, float8_e5m2, int8}) {
    const Tensor source = dtype == int8 ? test::filled({50000}, dtype) : test::uniform({50000}, dtype) + 1;
    for (const std::string reduce : {"prod", "amax", "amin", "mean"}) {
      const Tensor x = ones({11}, {.dtype = dtype});
      const Tensor there = x.scatter_reduce(0, index, source.to(dtype), reduce, false);
      const Tensor here = x.cpu().scatter_reduce(0, index.cpu(), source.to(dtype).cpu(), reduce, false);
      EXPECT_TRUE(test::same_bits(there, here)) << name(dtype) << " " << reduce;
    }
  }
}

TEST(ScatterReduce, NanPropagates) {
  const Tensor source = tensor({1., test::kNan, 3.});
  for (const std::string reduce : {"prod", "amax", "amin"}) {
    const Tensor result = zeros({2}).scatter_reduce(0, tensor({0, 0, 1}), source, reduce, false);
    EXPECT_TRUE(isnan(result).equal(tensor({true, false}))) << reduce;
  }
}

TEST(IndexWrites, ErrorsNameWhatIsWrong) {
  const Tensor x = zeros({2, 3});
  expect_error([&] { x.index_fill(1, tensor({0}), ones({1})); },
               "index_fill_: value must be a number or a tensor of no dimensions, not of shape [1]");
  expect_error([&] { x.index_copy(0, tensor({0}), ones({3})); },
               "index_copy_: source must be of shape [1, 3], not [3]");
  expect_error([&] { x.masked_scatter(x == 0, ones({5})); },
               "masked_scatter_: source must be of 6 elements or more, as the mask has true, not of 5");
  expect_error(
      [&] {
        x.scatter_reduce(0, tensor({{0}}), ones({1, 1}), "mode");
      },
      "scatter_reduce: reduce must be \"sum\", \"prod\", \"mean\", \"amax\" or \"amin\", not \"mode\"");
  expect_error(
      [&] {
        (x == 0).scatter_reduce(0, tensor({{0}}), ones({1, 1}) == 1, "mean");
      },
      "scatter_reduce: dtype must be a number's, for means, not bool; convert with to() first");
}

// A gradient reads the elements before the change and after it.
TEST(IndexWrites, ChangesOfViewsHaveGradients) {
  for (const std::string reduce : {"sum", "prod", "mean", "amax", "amin"}) {
    const Tensor x = test::uniform({2, 4}, float64).requires_grad_();
    const Tensor source = test::uniform({5}, float64, 2).requires_grad_();
    const Tensor index = tensor({0, 3, 3, 1, 0});
    const Tensor changed = x.clone();
    changed[1].scatter_reduce_(0, index, source, reduce);
    changed.sum().backward();
    const Tensor row = x.detach()[1].clone().requires_grad_(),
                 values = source.detach().clone().requires_grad_();
    row.scatter_reduce(0, index, values, reduce).sum().backward();
    EXPECT_TRUE(x.grad()[0].equal(ones({4}, {.dtype = float64}))) << reduce;
    EXPECT_TRUE(x.grad()[1].allclose(row.grad())) << reduce;
    EXPECT_TRUE(source.grad().allclose(values.grad())) << reduce;
  }
}

}  // namespace
}  // namespace lectern
