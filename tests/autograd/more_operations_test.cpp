// The gradients of more operations, each compared with differences.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/gradcheck.h"
#include "ops/convolution.h"
#include "ops/elementwise.h"
#include "ops/index_writes.h"
#include "ops/linear.h"
#include "ops/pad.h"
#include "ops/pooling.h"
#include "ops/quantile.h"
#include "ops/rotary.h"
#include "ops/scan.h"
#include "ops/scatter_reduce.h"
#include "ops/similarity.h"
#include "ops/tensors.h"
#include "ops/ternary.h"
#include "ops/triangle.h"

namespace lectern {
namespace {

using Given = std::vector<Tensor>;

struct Differentiated {
  std::vector<Sizes> sizes;
  std::function<Tensor(const Given&)> operation;
};

/// That backward() gives the derivatives, with another weight for each element of the result.
void expect_derivatives(const std::map<std::string, Differentiated>& cases) {
  for (const auto& [name, of] : cases) {
    SCOPED_TRACE(name);
    Given inputs;
    for (unsigned i = 0; i < of.sizes.size(); ++i)
      inputs.push_back((test::uniform(of.sizes[i], float64, i + 1) * 2).requires_grad_());
    const auto weighted_result = [&function = of.operation](const Given& in) {
      const Tensor y = function(in);
      return y * (arange(y.numel(), {.dtype = float64}).view(y.sizes()) + 1);
    };
    EXPECT_TRUE(autograd::gradcheck(weighted_result, inputs));
  }
}

TEST(MoreGradients, OfWindows) {
  expect_derivatives({
      {"conv1d",
       {{{2, 4, 6}, {4, 2, 3}, {4}},
        [](const Given& in) {
          return conv1d(in[0], in[1], in[2], {.stride = {2}, .padding = {1}, .groups = 2});
        }}},
      {"conv2d",
       {{{1, 2, 4, 5}, {3, 2, 2, 2}, {3}},
        [](const Given& in) {
          return conv2d(in[0], in[1], in[2], {.padding = "same", .dilation = {1, 2}});
        }}},
      {"max_pool2d", {{{2, 4, 5}}, [](const Given& in) { return max_pool2d(in[0], {2}, {.stride = {1}}); }}},
      {"avg_pool2d", {{{2, 4, 5}}, [](const Given& in) { return avg_pool2d(in[0], {3}, {.padding = {1}}); }}},
      {"adaptive_avg_pool1d", {{{2, 7}}, [](const Given& in) { return adaptive_avg_pool1d(in[0], {3}); }}},
  });
}

TEST(MoreGradients, OfThreeOperands) {
  const auto away = [](const Tensor& x) { return x.square() + 1; };
  expect_derivatives({
      {"lerp", {{{2, 3}, {3}, {2, 1}}, [](const Given& in) { return lerp(in[0], in[1], in[2]); }}},
      {"lerp by a number", {{{2, 3}, {2, 3}}, [](const Given& in) { return lerp(in[0], in[1], 0.75); }}},
      {"lerp_", {{{2, 3}, {3}, {2, 1}}, [](const Given& in) { return in[0].clone().lerp_(in[1], in[2]); }}},
      {"addcmul", {{{3}, {2, 1}, {2, 3}}, [](const Given& in) { return addcmul(in[0], in[1], in[2], -2); }}},
      {"addcmul_",
       {{{2, 3}, {2, 1}, {3}}, [](const Given& in) { return in[0].clone().addcmul_(in[1], in[2], 3); }}},
      {"addcdiv",
       {{{3}, {2, 1}, {2, 3}}, [=](const Given& in) { return addcdiv(in[0], in[1], away(in[2]), -2); }}},
      {"addcdiv_",
       {{{2, 3}, {3}, {2, 1}}, [=](const Given& in) { return in[0].clone().addcdiv_(in[1], away(in[2])); }}},
      {"baddbmm",
       {{{4}, {2, 2, 3}, {2, 3, 4}}, [](const Given& in) { return baddbmm(in[0], in[1], in[2], 0.5, 2); }}},
  });
}

TEST(MoreGradients, OfShapes) {
  expect_derivatives({
      {"T", {{{2, 3}}, [](const Given& in) { return in[0].T(); }}},
      {"movedim",
       {{{2, 3, 2}},
        [](const Given& in) {
          return in[0].movedim({0, 1}, {1, 2});
        }}},
      {"unfold", {{{2, 7}}, [](const Given& in) { return in[0].unfold(1, 3, 2); }}},
      {"unfold of a view", {{{7, 2}}, [](const Given& in) { return in[0].t().unfold(-1, 4, 1); }}},
      {"diag", {{{3}}, [](const Given& in) { return diag(in[0], -1); }}},
      {"diag of a matrix", {{{3, 4}}, [](const Given& in) { return diag(in[0], 1); }}},
      {"pad",
       {{{2, 3}},
        [](const Given& in) {
          return pad(in[0], {1, -1, 0, 2});
        }}},
      {"pad that reflects",
       {{{2, 3}},
        [](const Given& in) {
          return pad(in[0], {2, 1}, "reflect");
        }}},
      {"pad that replicates",
       {{{2, 2, 3}},
        [](const Given& in) {
          return pad(in[0], {2, 1, 0, 1}, "replicate");
        }}},
      {"rotary_embedding",
       {{{1, 3, 2, 4}},
        [](const Given& in) {
          return rotary_embedding(in[0], rotary_table(3, 4, 100, {.dtype = float64}));
        }}},
  });
}

TEST(MoreGradients, OfWrites) {
  const Tensor places = tensor({2, 0}), mask = tensor({true, false, true});
  std::map<std::string, Differentiated> cases = {
      {"index_fill", {{{2, 3}, {}}, [=](const Given& in) { return index_fill(in[0], 1, places, in[1]); }}},
      {"index_fill from the end",
       {{{2, 3}, {}}, [=](const Given& in) { return index_fill(in[0], 1, places - 3, in[1]); }}},
      {"index_copy",
       {{{2, 3}, {2, 2}}, [=](const Given& in) { return index_copy(in[0], 1, places, in[1]); }}},
      {"masked_scatter",
       {{{2, 3}, {5}}, [=](const Given& in) { return masked_scatter(in[0], mask, in[1]); }}},
  };
  const Tensor index = tensor({{0, 2, 2, 0}, {1, 1, 1, 1}});
  for (const std::string reduce : {"sum", "prod", "mean", "amax", "amin"}) {
    for (const bool self : {true, false}) {
      cases[reduce + (self ? " with itself" : "")] = {
          {{2, 3}, {2, 4}},
          [=](const Given& in) { return scatter_reduce(in[0], 1, index, in[1], reduce, self); }};
      cases[reduce + (self ? " with itself" : "") + " in place"] = {
          {{2, 3}, {3, 5}},
          [=](const Given& in) { return in[0].clone().scatter_reduce_(1, index, in[1], reduce, self); }};
    }
  }
  expect_derivatives(cases);
}

TEST(MoreGradients, OfOrderAndLength) {
  expect_derivatives({
      {"median", {{{5}}, [](const Given& in) { return median(in[0]); }}},
      {"median along", {{{2, 4}}, [](const Given& in) { return median(in[0], 1).values; }}},
      {"quantile", {{{2, 4}}, [](const Given& in) { return quantile(in[0], 0.3, 1); }}},
      {"quantiles",
       {{{5}},
        [](const Given& in) {
          return quantile(in[0], tensor({0.3, 0.9}).to(float64), {}, true, "midpoint");
        }}},
      {"logcumsumexp", {{{2, 5}}, [](const Given& in) { return logcumsumexp(in[0], 1); }}},
      {"logcumsumexp of falling weights",
       {{{5}}, [](const Given& in) { return -logcumsumexp(in[0] * 3, 0); }}},
      {"cosine_similarity", {{{2, 3}, {3}}, [](const Given& in) { return cosine_similarity(in[0], in[1]); }}},
      {"normalize", {{{2, 3}}, [](const Given& in) { return normalize(in[0], 3); }}},
  });
}

}  // namespace
}  // namespace lectern
