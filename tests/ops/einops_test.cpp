#include "ops/einops/einops.h"

#include <thread>

#include <gtest/gtest.h>

#include "device/counters.h"
#include "ops/einops/annotated.h"
#include "ops/einops/plan_cache.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/reductions.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kEvery;
using test::kReal;
using test::Out;

/// A pattern, and what PyTorch does in its place.
struct EinopsCase {
  std::string pattern;
  Sizes shape;
  einops::AxisSizes sizes;
  std::string torch;
};

TEST(Rearrange, AsReshapeAndPermuteOfPyTorch) {
  const EinopsCase cases[] = {
      {"a b -> b a", {3, 4}, {}, "a.permute(1, 0)"},
      {"a b c -> a b c", {2, 3, 4}, {}, "a"},
      {" a  b c->c a b ", {2, 3, 4}, {}, "a.permute(2, 0, 1)"},
      {"a b c -> (a b) c", {2, 3, 4}, {}, "a.reshape(6, 4)"},
      {"a b c -> (c b a)", {2, 3, 4}, {}, "a.permute(2, 1, 0).reshape(24)"},
      {"a b c -> b (a c)", {2, 3, 4}, {}, "a.permute(1, 0, 2).reshape(3, 8)"},
      {"(a b) c -> a b c", {6, 4}, {{"a", 2}}, "a.reshape(2, 3, 4)"},
      {"(a b) c -> b c a", {6, 4}, {{"b", 2}}, "a.reshape(3, 2, 4).permute(1, 2, 0)"},
      {"(a b c) -> c a b", {24}, {{"a", 2}, {"c", 4}}, "a.reshape(2, 3, 4).permute(2, 0, 1)"},
      {"b (h d) -> b h d", {2, 6}, {{"h", 3}}, "a.reshape(2, 3, 2)"},
      {"b t (h d) -> b h t d", {2, 3, 8}, {{"h", 4}}, "a.reshape(2, 3, 4, 2).transpose(1, 2)"},
      {"b h t d -> b t (h d)", {2, 4, 3, 2}, {}, "a.transpose(1, 2).reshape(2, 3, 8)"},
      {"b (h p) (w q) c -> b (h w) (p q c)",
       {2, 4, 6, 3},
       {{"p", 2}, {"q", 3}},
       "a.reshape(2, 2, 2, 2, 3, 3).permute(0, 1, 3, 2, 4, 5).reshape(2, 4, 18)"},
      {"... -> ...", {2, 3}, {}, "a"},
      {"... a -> a ...", {2, 3, 4}, {}, "a.permute(2, 0, 1)"},
      {"a ... b -> b ... a", {2, 3, 4, 5}, {}, "a.permute(3, 1, 2, 0)"},
      {"a ... -> ... a", {4}, {}, "a"},
      {"a ... b -> (a b) ...", {2, 3, 4}, {}, "a.permute(0, 2, 1).reshape(8, 3)"},
      {"a ... -> a (...)", {2, 3, 4}, {}, "a.reshape(2, 12)"},
      {"a ... -> (... a)", {2, 3, 4}, {}, "a.permute(1, 2, 0).reshape(24)"},
      {"a ... -> a (...)", {5}, {}, "a.reshape(5, 1)"},
      {"... (h d) -> ... h d", {2, 3, 6}, {{"d", 2}}, "a.reshape(2, 3, 3, 2)"},
      {"a b -> a 1 b", {2, 3}, {}, "a.unsqueeze(1)"},
      {"a 1 b -> b a", {2, 1, 3}, {}, "a.squeeze(1).t()"},
      {"a () b -> (a b) ()", {2, 1, 3}, {}, "a.reshape(6, 1)"},
      {"(a 1) -> a", {4}, {}, "a"},
      {"-> 1", {}, {}, "a.reshape(1)"},
      {" -> ", {}, {}, "a"},
      {"1 1 -> ", {1, 1}, {}, "a.reshape(())"},
      {"a b -> (b a)", {0, 3}, {}, "a.t().reshape(0)"},
      {"(a b) -> b a", {0}, {{"b", 3}}, "a.reshape(0, 3).t()"},
      {"batch_1 Hidden -> Hidden batch_1", {2, 3}, {}, "a.t()"},
  };
  std::vector<test::TorchRow> rows;
  for (const EinopsCase& one : cases) {
    rows.push_back({one.torch, {one.shape}, kEvery, [=](const In& in) {
                      return Out{rearrange(in[0], one.pattern, one.sizes)};
                    }});
  }
  rows.push_back({"torch.stack((a, b), 1)", {{2, 3}, {2, 3}}, kReal, [](const In& in) {
                    return Out{rearrange({in[0], in[1]}, "which a b -> a which b")};
                  }});
  test::expect_as_torch(rows);
}

TEST(Reduce, AsReductionsOfPyTorch) {
  const auto row = [](const std::string& torch, const Sizes& shape, const std::string& pattern,
                      const std::string& reduction, const einops::AxisSizes& sizes = {}) {
    return test::TorchRow{torch, {shape},
                          kReal, [=](const In& in) {
                            return Out{reduce(in[0], pattern, reduction, sizes)}; },
                          4,     16};
  };
  test::expect_as_torch({
      row("a.sum(1)", {2, 3, 4}, "a b c -> a c", "sum"),
      row("a.mean((0, 2))", {2, 3, 4}, "a b c -> b", "mean"),
      row("a.amax((0, 1)).reshape(1, 4)", {2, 3, 4}, "a b c -> 1 c", "max"),
      row("a.amin((0, 1, 2))", {2, 3, 4}, "a b c ->", "min"),
      row("a.prod(2).prod(0)", {2, 3, 4}, "a b c -> b", "prod"),
      row("a.sum((0, 1), keepdim=True)", {2, 3, 4}, "a b c -> () () c", "sum"),
      row("a.reshape(2, 2, 2, 3, 2).amax((2, 4)).permute(2, 0, 1)", {2, 4, 6}, "a (h 2) (w 2) -> w a h",
          "max"),
      row("a.reshape(2, 2, 2, 3, 2).mean((2, 4))", {2, 4, 6}, "a (h p) (w q) -> a h w", "mean",
          {{"p", 2}, {"q", 2}}),
      row("a.sum((0, 1))", {2, 3, 4}, "... c -> c", "sum"),
      row("a.sum(2)", {2, 3, 4}, "... c -> ...", "sum"),
      row("a.permute(2, 0, 1).sum(1)", {2, 3, 4}, "a b c -> c b", "sum"),
      row("a.t()", {2, 3}, "a b -> b a", "max"),
      row("a.sum(0)", {0, 3}, "a b -> b", "sum"),
      row("a", {}, "->", "mean"),
      {"a.sum((1,))",
       {{2, 3}},
       kReal,
       [](const In& in) {
         return Out{
             reduce(in[0], "a b -> a", [](const Tensor& x, const Sizes& dims) { return sum(x, dims); })};
       },
       4,
       16},
      {"[(a > 0).any(2).any(0), (a > 0).all(2).all(0)]",
       {{2, 5, 2}},
       kReal,
       [](const In& in) {
         return Out{reduce(in[0] > 0, "a b c -> b", "any"), reduce(in[0] > 0, "a b c -> b", "all")};
       }},
  });
}

TEST(Repeat, ByPatternsAsPyTorch) {
  const EinopsCase cases[] = {
      {"a b -> a b c", {2, 3}, {{"c", 4}}, "a.unsqueeze(2).expand(2, 3, 4)"},
      {"a b -> c b a", {2, 3}, {{"c", 4}}, "a.t().expand(4, 3, 2)"},
      {"a b -> (a 2) b", {2, 3}, {}, "a.repeat_interleave(2, 0)"},
      {"a b -> (2 a) b", {2, 3}, {}, "a.repeat(2, 1)"},
      {"a b -> (2 a) (b 2)", {2, 3}, {}, "a.repeat(2, 1).repeat_interleave(2, 1)"},
      {"b kv t d -> b (kv group) t d", {2, 2, 3, 4}, {{"group", 3}}, "a.repeat_interleave(3, 1)"},
      {"... -> ... 3", {2, 3}, {}, "a.unsqueeze(2).expand(2, 3, 3)"},
      {"(a b) -> b 1 a n",
       {6},
       {{"a", 2}, {"n", 2}},
       "a.reshape(2, 3).t().reshape(3, 1, 2, 1).expand(3, 1, 2, 2)"},
      {"-> n", {}, {{"n", 3}}, "a.expand(3)"},
      {"a -> a", {3}, {}, "a"},
  };
  std::vector<test::TorchRow> rows;
  for (const EinopsCase& one : cases) {
    rows.push_back({one.torch, {one.shape}, kEvery, [=](const In& in) {
                      return Out{repeat(in[0], one.pattern, one.sizes)};
                    }});
  }
  test::expect_as_torch(rows);
}

TEST(Einops, CopiesOnlyWhereNoViewHasTheShape) {
  const Tensor x = test::filled({2, 6, 4}, float32);
  const CountScope scope;
  EXPECT_EQ(rearrange(x, "a (b c) d -> c a d b", {{"b", 2}}).storage(), x.storage());
  EXPECT_EQ(rearrange(x, "a b c -> (a b c)").storage(), x.storage());
  EXPECT_EQ(rearrange(x.transpose(0, 1), "b a c -> a (b c)").storage(), x.storage());
  EXPECT_EQ(repeat(x, "a b c -> n a b c", {{"n", 1000}}).storage(), x.storage());
  EXPECT_TRUE(rearrange(x, "a b c -> a b c").is_same(x));
  EXPECT_EQ(scope.counted(), Counters{});
  EXPECT_NE(rearrange(x, "a b c -> (b a) c").storage(), x.storage());
  EXPECT_EQ(scope.counted(), (Counters{0, 2 * x.nbytes()}));
}

TEST(Einops, NamesAreOfLettersOfAnyScript) {
  const Tensor x = test::filled({2, 6}, float32);
  EXPECT_TRUE(rearrange(x, "größe (頭 β2) -> β2 größe 頭", {{"頭", 2}})
                  .equal(rearrange(x, "a (b c) -> c a b", {{"b", 2}})));
}

TEST(Einops, SizesOf0) {
  const Tensor none = zeros({0, 4}), x = zeros({2, 3});
  EXPECT_EQ(rearrange(none, "(a b) c -> a b c", {{"a", 3}}).sizes(), (Sizes{3, 0, 4}));
  EXPECT_EQ(rearrange(none, "(a b) c -> a b c", {{"a", 0}, {"b", 3}}).sizes(), (Sizes{0, 3, 4}));
  EXPECT_EQ(rearrange(none, "a (b c) -> (a b) c", {{"b", 2}}).sizes(), (Sizes{0, 2}));
  EXPECT_EQ(repeat(x, "a b -> a n b", {{"n", 0}}).sizes(), (Sizes{2, 0, 3}));
  EXPECT_EQ(repeat(x, "a b -> (a n) b", {{"n", 0}}).sizes(), (Sizes{0, 3}));
  EXPECT_TRUE(reduce(none, "a b -> b", "sum").equal(zeros({4})));
  expect_error(
      [&] {
        rearrange(none, "(a b) c -> a b c", {{"a", 0}});
      },
      "rearrange: the size of the axis `b` could be anything, as `a` = 0; the pattern is "
      "`(a b) c -> a b c`, the shape [0, 4]");
  expect_error(
      [&] {
        repeat(x, "a b -> a b n", {{"n", -1}});
      },
      "repeat: the size of the axis `n` must not be negative, as -1 is; the pattern is "
      "`a b -> a b n`, the shape [2, 3]");
}

TEST(Einops, ErrorsNameTheAxisAndShowThePatternAndTheShape) {
  const Tensor x = zeros({2, 6});
  const auto rearranging = [&](const std::string& pattern, const std::string& problem,
                               const einops::AxisSizes& sizes = {}) {
    expect_error([&] { rearrange(x, pattern, sizes); },
                 "rearrange: " + problem + "; the pattern is `" + pattern + "`, the shape [2, 6]");
  };
  rearranging("a b", "there is no `->` between two sides");
  rearranging("a b -> b -> a", "there is more than one `->`");
  rearranging("a (b -> a b", "a parenthesis is not closed");
  rearranging("a b) -> a b", "a parenthesis is closed that was not opened");
  rearranging("a (b (c)) -> a b c", "parentheses cannot stand in parentheses");
  rearranging("a b, -> a b", "`,` can be no part of it");
  rearranging("a .. -> a ..", "`.` can be no part of it");
  rearranging("a b … -> a b", "`…` can be no part of it");
  rearranging("...pre b -> pre b", "in `...pre` nothing parts `...` from a name");
  rearranging("a b... -> a b ...", "in `b...` nothing parts `...` from a name");
  rearranging("a b→c -> a", "`→` can be no part of it");
  rearranging("a (b c) -> a b c", "the dimension of `c` cannot be divided by `b` = 0; it has size 6",
              {{"b", 0}});
  rearranging("a _b -> a _b", "the axis `_b` may not begin or end with an underscore");
  rearranging("a 2b -> a 2b", "`2b` is neither the name of an axis nor a size of 1 or more");
  rearranging("a 0 -> a 0", "`0` is neither the name of an axis nor a size of 1 or more");
  rearranging("a a -> a", "the axis `a` comes twice on one side");
  rearranging("... ... -> ...", "`...` can come once on a side");
  rearranging("(a ...) -> a ...", "on the left side `...` cannot stand in parentheses");
  rearranging("a b -> a b ...", "`...` is on the right side only");
  rearranging("a b -> a", "the axes `b` are on the left side only; reduce() drops axes");
  rearranging("a ... -> a", "the axes `...` are on the left side only; reduce() drops axes");
  rearranging("a b -> a b c d", "the axes `c`, `d` are on the right side only; repeat() adds axes");
  rearranging("a (b 2) -> a b", "a number other than 1 cannot stand here; name the axis and give its size");
  rearranging("a b c -> c b a", "the left side has 3 dimensions, the tensor 2");
  rearranging("a b c ... -> c b a ...", "the left side has 3 dimensions and `...`, the tensor 2");
  rearranging("a -> a", "the left side has 1 dimension, the tensor 2");
  rearranging(
      "a (b c d) -> a b c d",
      "the sizes of the axes `c`, `d` do not follow from their dimension: give all but one; it has size 6",
      {{"b", 2}});
  rearranging("a (b c) -> a b c", "the dimension of `c` cannot be divided by `b` = 4; it has size 6",
              {{"b", 4}});
  rearranging("a (b c) -> a b c", "the dimension of `b` times `c` should have size 8; it has size 6",
              {{"b", 4}, {"c", 2}});
  rearranging("a b -> b a", "the dimension of `a` should have size 3; it has size 2", {{"a", 3}});
  rearranging("1 b -> b", "a dimension of size 1 stands where the tensor has one of size 2");
  rearranging("a b -> b a", "the axis `c`, of which the size is given, is not there", {{"c", 3}});
  rearranging("a b -> b a", "the dimension of `a` should have size 0; it has size 2", {{"a", 0}});
  rearranging("a b -> a b 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "there are more than 16 axes");
  const std::string reduction = "; the pattern is `a b -> a c`, the shape [2, 6]";
  expect_error([&] { reduce(x, "a b -> a c", "sum"); },
               "reduce: the axes `c` are on the right side only; repeat() adds axes" + reduction);
  expect_error(
      [&] { reduce(x, "a b -> a 2", "sum"); },
      "reduce: a number other than 1 cannot stand on the right side; the pattern is `a b -> a 2`, the "
      "shape [2, 6]");
  expect_error([&] { reduce(x, "a b -> a", "median"); },
               "reduce: reduction must be sum, mean, max, min, prod, any or all, not median");
  expect_error([&] { repeat(x, "a b -> a b c"); },
               "repeat: the new axes `c` need sizes, as in {{\"c\", 2}}; the pattern is `a b -> a b c`, the "
               "shape [2, 6]");
  expect_error(
      [&] { repeat(x, "a b -> a"); },
      "repeat: the axes `b` are on the left side only; reduce() drops axes; the pattern is `a b -> a`, the "
      "shape [2, 6]");
  expect_error(
      [&] { repeat(x, "a (b 2) -> a b"); },
      "repeat: a number other than 1 cannot stand on the left side; the pattern is `a (b 2) -> a b`, the "
      "shape [2, 6]");
}

TEST(Einops, PlansAreKeptWithinBoundsAndShared) {
  einops::PlanCache<int> cache;
  int made = 0;
  const auto make = [&] { return ++made; };
  const auto first = cache.get("a", make);
  EXPECT_EQ(*first, 1);
  EXPECT_EQ(cache.get("a", make), first);
  EXPECT_THROW(cache.get("b", []() -> int { throw TensorError("b", "cannot be made"); }), TensorError);
  EXPECT_EQ(cache.size(), 1u);
  for (std::size_t i = 0; i < 3 * cache.kMost; ++i) cache.get(std::to_string(i), make);
  EXPECT_LE(cache.size(), cache.kMost);
  EXPECT_EQ(*first, 1);
}

TEST(Einops, FromManyThreads) {
  const Tensor x = test::filled({4, 6}, float32);
  const Tensor expected = x.t().contiguous();
  std::vector<std::thread> threads;
  std::array<bool, 4> same{};
  for (std::size_t t = 0; t < same.size(); ++t) {
    threads.emplace_back([&, t] {
      same[t] = true;
      for (int i = 0; i < 200; ++i) {
        const std::string axis = "axis" + std::to_string(i % 37);
        const Tensor turned = rearrange(x, axis + " b -> b " + axis);
        same[t] = same[t] && turned.sizes() == expected.sizes() && turned.storage() == x.storage();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const bool one : same) EXPECT_TRUE(one);
}

double total(const Float<"batch hidden">& x) {
  return x.sum().item<double>();
}

TEST(Annotated, AreTheTensorsThatTheyDescribe) {
  const Tensor x = ones({2, 2, 1, 3});
  const Float<"batch seq heads hidden"> described = x;
  EXPECT_TRUE(described.is_same(x));
  const Tensor back = described;
  EXPECT_TRUE(back.is_same(x));
  EXPECT_EQ(total(ones({3, 4})), 12);
  EXPECT_EQ(described.index({0, 0, 0}).sizes(), Sizes{3});
  Float<"batch ..."> changing = x;
  changing = zeros({4});
  EXPECT_EQ(changing.sizes(), Sizes{4});
  const Float<"batch 3 height width"> image = zeros({5, 3, 4, 4});
  const Float<"n n"> square = zeros({4, 4});
  const Float<""> number = zeros({});
  const Float<"... last"> row = zeros({2, 3, 4});
  const Float<"1 a"> single = zeros({1, 7}, {.dtype = bfloat16});
  const Int<"batch"> tokens = zeros({2}, {.dtype = int64});
  const Bool<"batch"> mask = zeros({2}, {.dtype = bool_});
  const Num<"batch"> any = tokens;
  for (const Tensor& one : {Tensor(image), Tensor(square), Tensor(number), Tensor(row), Tensor(single),
                            Tensor(any), Tensor(mask)})
    EXPECT_TRUE(one.defined());
}

TEST(Annotated, ErrorsNameTheAxis) {
  expect_error(
      [] {
        Float<"a b">{zeros({2, 3, 4})};
      },
      "Float: it has 2 axes, the tensor 3 dimensions; the pattern is `a b`, the shape [2, 3, 4]");
  expect_error(
      [] { Float<"a b ...">{zeros({2})}; },
      "Float: it has 2 axes and `...`, the tensor 1 dimension; the pattern is `a b ...`, the shape [2]");
  expect_error(
      [] {
        Float<"n n">{zeros({2, 3})};
      },
      "Float: the axis `n` has size 2 in one place and 3 in another; the pattern is `n n`, the shape [2, 3]");
  expect_error(
      [] {
        Float<"batch 3">{zeros({2, 4})};
      },
      "Float: dimension 1 must have size 3, not 4; the pattern is `batch 3`, the shape [2, 4]");
  expect_error([] { Int<"a">{zeros({2})}; }, "Int: a tensor of float32 is no Int<\"a\">; convert with to()");
  expect_error([] { Float<"a">{tensor({1})}; },
               "Float: a tensor of int64 is no Float<\"a\">; convert with to()");
  expect_error([] { Num<"a">{tensor({true})}; }, "Num: a tensor of bool is no Num<\"a\">; convert with to()");
  expect_error([] { Bool<"a">{tensor({1})}; },
               "Bool: a tensor of int64 is no Bool<\"a\">; convert with to()");
  expect_error([] { Float<"(a b)">{zeros({2})}; },
               "Float: parentheses have no meaning here; the pattern is `(a b)`, the shape [2]");
  Float<"a"> kept = zeros({3});
  EXPECT_THROW(kept = zeros({3, 3}), TensorError);
  EXPECT_EQ(kept.sizes(), Sizes{3});
}

}  // namespace
}  // namespace lectern
