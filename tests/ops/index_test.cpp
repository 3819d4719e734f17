#include "ops/index.h"

#include <gtest/gtest.h>

#include "device/counters.h"
#include "device/cuda.h"
#include "device/threads.h"
#include "ops/drawn_indices.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/gradients_of.h"
#include "ops/nonzero.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"

namespace lectern {
namespace {

using test::counting;
using test::draw_indices;
using test::expect_error;
using test::In;
using test::kEvery;
using test::kReal;
using test::number;
using test::Out;

/// Errors of indices come at once on the CPU; on a GPU when it is waited for.
void expect_index_error(const std::function<void()>& call, const std::string& message) {
  if (!default_device().is_cuda()) return expect_error(call, message);
  const std::string later =
      " (detected on the GPU: the results of this operation, and all that was computed from them, are "
      "invalid)";
  expect_error(
      [&] {
        call();
        cuda::synchronize();
      },
      message + later);
}

TEST(Index, WithoutATensorIsAView) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_TRUE(x.index({0, Slice(1, 3), Slice({}, {}, 3)}).equal(tensor({{4, 7}, {8, 11}})));
  EXPECT_EQ(x.index({0, Slice(1, 3)}).storage(), x.storage());
  EXPECT_EQ(x.index({ellipsis, 0}).sizes(), Sizes({2, 3}));
  EXPECT_EQ(x.index({0, ellipsis, 0}).sizes(), Sizes({3}));
  EXPECT_EQ(x.index({none, ellipsis, none}).sizes(), Sizes({1, 2, 3, 4, 1}));
  EXPECT_EQ(x.index({}).sizes(), x.sizes());
  EXPECT_EQ(x.index({0, 0, 0, ellipsis}).dim(), 0);
  expect_error([&] { x.index({0, 0, 0, 0}); }, "index: 4 entries are too many for shape [2, 3, 4]");
  expect_error([&] { x.index({ellipsis, ellipsis}); }, "index: only one ellipsis can stand in an index");
}

TEST(Index, EveryDtypeAndLayoutOnTheCpuAndTheGpu) {
  const Tensor rows = tensor({2, 0, -1, 2});
  for (const Dtype dtype : test::kAllDtypes) {
    for (const test::Laid& laid : test::layouts({3, 5, 2}, dtype)) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + laid.how);
      const Tensor picked = laid.tensor.index({rows, Slice(1, 4)});
      ASSERT_EQ(picked.sizes(), Sizes({4, 3, 2}));
      test::for_each_index(picked.sizes(), [&](const Sizes& at) {
        const std::int64_t row =
            number(rows, {at[0]}) < 0 ? 2 : static_cast<std::int64_t>(number(rows, {at[0]}));
        ASSERT_EQ(number(picked, at), number(laid.tensor, {row, at[1] + 1, at[2]}));
      });
    }
  }
}

TEST(Index, ReadsAsPyTorch) {
  const auto i = draw_indices({7}, -4, 4);
  const auto h = draw_indices({2, 1}, -4, 4);
  const auto j = draw_indices({2, 1}, -5, 5);
  const auto k = draw_indices({3}, -6, 6);
  const auto n = draw_indices({0}, 0, 1);
  const auto one = draw_indices({}, -4, 4);
  std::vector<test::TorchRow> rows;
  const auto add = [&](const std::string& expression, const std::function<Tensor(const Tensor&)>& read) {
    rows.push_back({expression, {{4, 5, 6}}, kEvery, [=](const In& in) { return Out{read(in[0])}; }});
  };
  add("a[" + i.python + "]", [=](const Tensor& a) { return a.index({i.tensor}); });
  add("a[:, " + j.python + "]", [=](const Tensor& a) { return a.index({Slice(), j.tensor}); });
  add("a[..., " + k.python + "]", [=](const Tensor& a) { return a.index({ellipsis, k.tensor}); });
  add("a[1:, " + j.python + ", " + k.python + "]", [=](const Tensor& a) {
    return a.index({Slice(1), j.tensor, k.tensor});
  });
  add("a[" + h.python + ", 1:, " + k.python + "]", [=](const Tensor& a) {
    return a.index({h.tensor, Slice(1), k.tensor});
  });
  add("a[" + h.python + ", " + j.python + ", " + k.python + "]", [=](const Tensor& a) {
    return a.index({h.tensor, j.tensor, k.tensor});
  });
  add("a[" + n.python + "]", [=](const Tensor& a) { return a.index({n.tensor}); });
  add("a[" + one.python + "]", [=](const Tensor& a) { return a.index({one.tensor}); });
  add("a[" + one.python + ", :, " + k.python + "]", [=](const Tensor& a) {
    return a.index({one.tensor, Slice(), k.tensor});
  });
  add("a[-2, None, " + j.python + ", " + k.python + "]", [=](const Tensor& a) {
    return a.index({-2, none, j.tensor, k.tensor});
  });
  add("a[:, None, " + j.python + ", None, " + k.python + "]", [=](const Tensor& a) {
    return a.index({Slice(), none, j.tensor, none, k.tensor});
  });
  add("a[:, 3, " + k.python + "]", [=](const Tensor& a) { return a.index({Slice(), 3, k.tensor}); });
  add("a[a > 0]", [=](const Tensor& a) { return a.index({a > 0}); });
  add("a[:, a[0] > 0]", [=](const Tensor& a) { return a.index({Slice(), a[0] > 0}); });
  add("a[a[:, 0, 0] > 0]", [=](const Tensor& a) { return a.index({a.index({Slice(), 0, 0}) > 0}); });
  add("a[torch.tensor(True)]", [=](const Tensor& a) { return a.index({tensor(true)}); });
  add("a[torch.tensor(False)]", [=](const Tensor& a) { return a.index({tensor(false)}); });
  add("a[a > 100]", [=](const Tensor& a) { return a.index({a > 100}); });
  // The gradient of PyTorch 1.13 takes numbers and mask to be contiguous.
  add("a.contiguous().masked_select((a > 0).contiguous())",
      [=](const Tensor& a) { return masked_select(a, a > 0); });
  add("a.contiguous().masked_select((a[0] > 0).expand(4, 5, 6).contiguous())",
      [=](const Tensor& a) { return masked_select(a, a[0] > 0); });
  add("a.nonzero()", [=](const Tensor& a) { return nonzero(a); });
  add("a[0, 0, 0].nonzero()", [=](const Tensor& a) { return nonzero(a[0][0][0]); });
  add("a[0:0].nonzero()", [=](const Tensor& a) { return nonzero(a.slice(0, 0, 0)); });
  add("a.index_select(1, " + k.python + ".clamp(0, 4))",
      [=](const Tensor& a) { return a.index_select(1, maximum(minimum(k.tensor, tensor(4)), tensor(0))); });
  add("a[0, 0, 0].index_select(0, torch.tensor([0]))",
      [=](const Tensor& a) { return a[0][0][0].index_select(0, tensor({0})); });
  // What both refuse.
  add("a[torch.tensor([True, False])]", [=](const Tensor& a) { return a.index({tensor({true, false})}); });
  add("a[torch.tensor([1, 2]), torch.tensor([1, 2, 3])]", [=](const Tensor& a) {
    return a.index({tensor({1, 2}), tensor({1, 2, 3})});
  });
  add("a[:, :, :, torch.tensor([0])]", [=](const Tensor& a) {
    return a.index({Slice(), Slice(), Slice(), tensor({0})});
  });
  add("a[torch.tensor([0.5])]", [=](const Tensor& a) { return a.index({tensor({0.5})}); });
  add("a.index_select(1, torch.tensor([[0]]))",
      [=](const Tensor& a) { return a.index_select(1, tensor(NestedList{{0}})); });
  test::expect_as_torch(rows);
}

TEST(Index, WritesAsPyTorch) {
  const auto j = draw_indices({2, 1}, -5, 5);
  const auto k = draw_indices({3}, -6, 6);
  std::vector<test::TorchRow> rows;
  const auto add = [&](const std::string& indices, const Sizes& values, const std::vector<Index>& entries) {
    const auto write = [=](bool accumulate) {
      return [=](const In& in) { return Out{index_put_(in[0].clone(), entries, in[1], accumulate)}; };
    };
    // PyTorch leaves open which of several values stays: only those that add up may meet.
    const std::string call = "a.clone().index_put_((" + indices + ",), b, accumulate=True)";
    rows.push_back({call, {{5, 6}, values}, kEvery, write(true), 8, 8});
  };
  add(j.python, {2, 1, 6}, {j.tensor});
  add(j.python, {6}, {j.tensor});
  add(j.python, {}, {j.tensor});
  add(j.python + ", " + k.python, {2, 3}, {j.tensor, k.tensor});
  add(j.python + ", " + k.python, {3}, {j.tensor, k.tensor});
  const auto add_assigned = [&](const std::string& expression, const Sizes& values,
                                const test::Operation& write) {
    rows.push_back({expression, {{5, 6}, values}, kEvery, write});
  };
  add_assigned("a.clone().index_put_((torch.tensor([3, 0, -1]),), b)", {6}, [](const In& in) {
    return Out{in[0].clone().index_put_({tensor({3, 0, -1})}, in[1])};
  });
  add_assigned("a.clone().index_put_((a > 0,), torch.tensor(1, dtype=a.dtype))", {},
               [](const In& in) { return Out{in[0].clone().index_put_({in[0] > 0}, 1)}; });
  add_assigned("a.clone().index_put_((a[:, 0] > 0,), b)", {6},
               [](const In& in) { return Out{in[0].clone().index_put_({in[0].select(1, 0) > 0}, in[1])}; });
  add_assigned(
      "a.clone().t().index_put_((torch.tensor([[4, 1]]), torch.tensor([[0], [2]])), b)", {2, 2},
      [](const In& in) {
        return Out{in[0].clone().t().index_put_({tensor(NestedList{{4, 1}}), tensor({{0}, {2}})}, in[1])};
      });
  add_assigned("a.clone().index_put_((torch.tensor([0, 1]),), b)", {5}, [](const In& in) {
    return Out{in[0].clone().index_put_({tensor({0, 1})}, in[1])};
  });
  // PyTorch's index_put_ is stricter than its x[…] = values, which is meant.
  const auto add_indexed = [&](const std::string& index, const std::string& value, const Sizes& values,
                               const auto& write) {
    rows.push_back({"[x := a.clone(), x.__setitem__(" + index + ", " + value + "), x][-1]",
                    {{5, 6}, values},
                    test::kAll,
                    [=](const In& in) {
                      const Tensor x = in[0].clone();
                      write(x, in[1]);
                      return Out{x};
                    }});
  };
  for (const Sizes& values : std::initializer_list<Sizes>{{1, 6}, {1, 1, 1}, {2, 1, 6}}) {
    add_indexed("1", "b", values, [](const Tensor& x, const Tensor& value) { x[1] = value; });
    add_indexed("1", "b", values, [](const Tensor& x, const Tensor& value) { x.index_put_({1}, value); });
    add_indexed("torch.tensor([3])", "b", values,
                [](const Tensor& x, const Tensor& value) { x.index_put_({tensor({3})}, value); });
  }
  add_indexed("slice(1, 3)", "b", {1, 2, 6},
              [](const Tensor& x, const Tensor& value) { x.slice(0, 1, 3) = value; });
  add_indexed("(0, 0)", "b", {1, 1}, [](const Tensor& x, const Tensor& value) { x[0][0] = value; });
  // Of another dtype.
  add_indexed("(slice(None), slice(1, 3))", "b.int()", {5, 2}, [](const Tensor& x, const Tensor& value) {
    x.index_put_({Slice(), Slice(1, 3)}, value.to(int32));
  });
  add_indexed("(torch.tensor([4, 0]), slice(1, 3))", "b.int()", {2, 2},
              [](const Tensor& x, const Tensor& value) {
                x.index_put_({tensor({4, 0}), Slice(1, 3)}, value.to(int32));
              });
  add_indexed("torch.tensor([4, 0])", "b.int()", {}, [](const Tensor& x, const Tensor& value) {
    x.index_put_({tensor({4, 0})}, value.to(int32));
  });
  add_indexed("a > 0", "b.int()", {1},
              [](const Tensor& x, const Tensor& value) { x.index_put_({x > 0}, value.to(int32)); });
  add_indexed("(a[:, 0] > 0, slice(1, 3))", "b.int()", {}, [](const Tensor& x, const Tensor& value) {
    x.index_put_({x.select(1, 0) > 0, Slice(1, 3)}, value.to(int32));
  });
  rows.push_back(
      {"a.clone().index_add_(0, torch.tensor([4, 0]), b)", {{5, 6}, {2, 6}}, kEvery, [](const In& in) {
         return Out{in[0].clone().index_add_(0, tensor({4, 0}), in[1])};
       }});
  rows.push_back({"a.clone().index_add(1, " + k.python + ".clamp(0, 5), b, alpha=2)",
                  {{5, 6}, {5, 3}},
                  {float64, float32, int64, int8},
                  [=](const In& in) {
                    const Tensor positions = maximum(minimum(k.tensor, tensor(5)), tensor(0));
                    return Out{index_add(in[0], 1, positions, in[1], 2)};
                  },
                  4,
                  8});
  rows.push_back(
      {"a.clone().index_add(1, " + k.python + ".clamp(0, 5), b)", {{5, 6}, {4, 3}}, kReal, [=](const In& in) {
         return Out{index_add(in[0], 1, k.tensor, in[1])};
       }});
  test::expect_as_torch(rows);
}

TEST(Index, GradientsAsPyTorch) {
  const auto j = draw_indices({2, 1}, -5, 5);
  const auto k = draw_indices({3}, -6, 6);
  const auto many = draw_indices({40}, 0, 5);
  test::expect_as_torch({
      {"(lambda x: torch.autograd.grad(x[" + j.python + ", " + k.python +
           "], x, b))(a.clone().requires_grad_())",
       {{5, 6}, {2, 3}},
       kReal,
       [=](const In& in) {
         const Index entries[] = {j.tensor, k.tensor};
         return Out{test::gradient_of([&](const Tensor& x) { return index(x, entries); }, in[0], in[1])};
       },
       2,
       4},
      {"(lambda x: torch.autograd.grad(x.index_select(0, " + many.python +
           "), x, b))(a.clone().requires_grad_())",
       {{5, 6}, {40, 6}},
       kReal,
       [=](const In& in) {
         return Out{test::gradient_of([&](const Tensor& x) { return x.index_select(0, many.tensor); }, in[0],
                                      in[1])};
       },
       8,
       16},
  });
}

TEST(IndexPut, TheLastOfSeveralValuesStays) {
  for (const Dtype dtype : test::kAllDtypes) {
    const Tensor x = zeros({4}, {.dtype = dtype});
    x.index_put_({tensor({1, 3, 1, 1, 3})}, tensor({0, 0, 0, 1, 1}).to(dtype));
    EXPECT_TRUE(x.to(int64).equal(tensor({0, 1, 0, 1}))) << name(dtype);
  }
}

TEST(IndexPut, AccumulatesNarrowNumbersWithOneRounding) {
  // 256 + 300 times 1: in bfloat16 step by step it would stay at 256.
  const Tensor x = full({2}, 256, {.dtype = bfloat16});
  x.index_put_({zeros({300}, {.dtype = int64})}, 1, true);
  EXPECT_TRUE(x.to(float32).equal(tensor({556., 256.})));
}

TEST(IndexPut, ManyMeetingValuesGiveTheSameBitsWhateverTheThreads) {
  const Tensor where = test::draw_indices({5000}, 0, 50).tensor;
  const int threads = get_num_threads();
  for (const std::int64_t columns : {1, 20}) {
    const Tensor values = test::uniform({5000, columns}, float32);
    const Tensor x = zeros({50, columns}).index_put_({where}, values, true);
    for (const int count : {1, 3}) {
      set_num_threads(count);
      const Tensor again = zeros({50, columns}).index_put_({where}, values, true);
      EXPECT_TRUE(test::same_bits(x, again));
    }
    set_num_threads(threads);
    const Tensor here = zeros({50, columns}, {.device = cpu}).index_put_({where.cpu()}, values.cpu(), true);
    EXPECT_TRUE(test::same_bits(x, here));
    double expected = 0;
    for (std::int64_t i = 0; i < 5000; ++i) {
      if (number(where, {i}) == 7) expected += number(values, {i, columns - 1});
    }
    EXPECT_NEAR(number(x, {7, columns - 1}), expected, 1e-4);
  }
}

TEST(IndexPut, WritesThroughViewsAndCountsAsAChange) {
  const Tensor x = zeros({3, 4});
  const std::uint64_t version = x.storage().version();
  x.t().index_put_({tensor({1, 3}), Slice(1)}, 5);
  EXPECT_TRUE(x.equal(tensor({{0, 0, 0, 0}, {0, 5, 0, 5}, {0, 5, 0, 5}})));
  EXPECT_EQ(x.storage().version(), version + 1);
  x.index_put_({Slice(), 0}, tensor({1., 2, 3}));
  EXPECT_TRUE(x.select(1, 0).equal(tensor({1, 2, 3})));
  x.index_put_({1}, 1, true);
  EXPECT_TRUE(x[1].equal(tensor({3, 6, 1, 6})));
}

TEST(Index, WrongPositionsAreErrorsThatNameThem) {
  const Tensor x = counting({4, 5});
  const int first = default_device().is_cuda() ? 9 : 4;  // of two threads either may come last
  expect_index_error(
      [&] {
        x.index({tensor({0, first, 9})});
      },
      "index: index " + std::to_string(first) + " is out of range for a dimension of size 4");
  expect_index_error(
      [&] {
        x.index({Slice(), tensor({-6})});
      },
      "index: index -6 is out of range for a dimension of size 5");
  expect_index_error([&] { x.index_select(0, tensor({-1})); },
                     "index_select: index -1 is out of range for a dimension of size 4");
  expect_index_error([&] { x.index_put_({tensor({7})}, 1); },
                     "index_put_: index 7 is out of range for a dimension of size 4");
  if (!default_device().is_cuda()) {
    EXPECT_TRUE(x.equal(counting({4, 5})));
  }
  expect_error(
      [] {
        zeros({0, 3}).index({tensor({0})});
      },
      "index: a dimension of size 0 has nothing that an index could name");
}

TEST(Index, WrongArgumentsAreErrors) {
  const Tensor x = zeros({4, 5});
  expect_error([&] { x.index({tensor({0.5})}); },
               "index: the dtype of an index must be int64 or bool, not float32");
  expect_error(
      [&] {
        x.index({tensor({true, false})});
      },
      "index: a mask of shape [2] does not fit the dimensions from 0 on of shape [4, 5]");
  expect_error(
      [&] {
        x.index({tensor({0}), tensor({0}), tensor({0})});
      },
      "index: 3 entries are too many for shape [4, 5]");
  expect_error(
      [&] {
        x.index_put_({tensor({0})}, tensor({1, 2}));
      },
      "index_put_: the dtype of values must be that of the tensor, float32; convert with to(), not int64");
  expect_error(
      [&] {
        x.index_put_({tensor({0, 1})}, zeros({4}));
      },
      "index_put_: shapes [2, 5] and [4] cannot be broadcast: sizes 5 and 4 differ, and neither is 1");
  expect_error(
      [&] {
        x.index_put_({tensor({0})}, zeros({3, 1, 5}));
      },
      "index_put_: values of shape [3, 1, 5] do not fit what is indexed, of shape [1, 5]");
  expect_error(
      [&] {
        x[0].expand({3, 5}).index_put_({tensor({0})}, 1);
      },
      "index_put_: several elements of the written tensor share a memory location: shape [3, 5] "
      "with strides [0, 1]; clone() it first");
  expect_error([&] { masked_select(x, x); }, "masked_select: mask must be of bool, not float32");
  expect_error([&] { x.index_select(0, tensor({{0}})); },
               "index_select: index must be of one dimension, not of shape [1, 1]");
  expect_error(
      [&] {
        x.index_add_(0, tensor({0}), zeros({2, 5}));
      },
      "index_add_: source must be of shape [1, 5], not [2, 5]");
}

TEST(Index, AMaskStandsForAllItsDimensions) {
  const Tensor x = test::filled({4, 5, 6}, float32);
  const Tensor mask = x.select(2, 0) > 0;  // PyTorch 1.13 takes the 2 for the second dimension
  EXPECT_TRUE(x.index({mask, 2}).equal(x.select(2, 2).index({mask})));
}

TEST(Index, CountsWhatItMoves) {
  const Tensor x = zeros({10, 4});
  const Tensor rows = tensor({1, 2, 3});
  const CountScope reading;
  x.index({rows});
  EXPECT_EQ(reading.counted(), (Counters{0, 2 * 48 + 3 * 8}));
}

TEST(Nonzero, OfManyElements) {
  for (const std::int64_t size : {1, 255, 256, 257, 40000}) {
    const Tensor mask = zeros({size}, {.dtype = bool_, .device = cpu});
    std::vector<std::int64_t> expected;
    for (std::int64_t i = size % 3; i < size; i += 1 + i % 97) {
      mask.data<bool>()[i] = true;
      expected.push_back(i);
    }
    const Tensor found = nonzero(mask.to(default_device())).cpu();
    ASSERT_EQ(found.sizes(), Sizes({static_cast<std::int64_t>(expected.size()), 1}));
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(found.data<std::int64_t>()[i], expected[i]);
  }
}

}  // namespace
}  // namespace lectern
