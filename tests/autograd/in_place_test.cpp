// What happens to the graph when a tensor is changed in place, itself or through its views.
#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/leaf.h"
#include "ops/compare.h"
#include "ops/einops/einops.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::leaf;

TEST(InPlace, GradientsGoThroughTheChange) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = x * 2;
  y.mul_(x);
  y += 1;
  EXPECT_EQ(y.grad_fn(), "add_");
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({4., 8, 12})));
}

TEST(InPlace, ATensorBecomesPartOfTheGraph) {
  const Tensor x = leaf({1, 2});
  const Tensor y = zeros({2});
  y.copy_(x * 3);
  EXPECT_TRUE(y.requires_grad());
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({3., 3})));
}

TEST(InPlace, IntegersStayOutOfTheGraph) {
  const Tensor truths = tensor({1, 0, 1});
  truths.logical_and_(leaf({0., 2., 3.}));
  EXPECT_FALSE(truths.requires_grad());
  EXPECT_TRUE(truths.equal(tensor({0, 0, 1})));
}

TEST(InPlace, WhatIsOverwrittenGetsAGradientOfZero) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = x * 2;
  y[0] = 5;
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({0., 2, 2})));
  const Tensor z = x * 2;
  z.zero_();
  z.sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({0., 2, 2})));
  x.mutable_grad() = Tensor();
  for (const auto& overwrite :
       {+[](const Tensor& t) { t.zero_(); }, +[](const Tensor& t) { t.copy_(ones({3})); }}) {
    const Tensor whole = x * 2;
    overwrite(whole);
    whole.sum().backward();
    EXPECT_TRUE(equal(x.grad(), zeros({3}))) << "as in PyTorch, not undefined";
    x.mutable_grad() = Tensor();
  }
  const Tensor drawn = x * 2;
  drawn.uniform_();
  drawn.sum().backward();
  EXPECT_TRUE(equal(x.grad(), zeros({3})));
}

TEST(InPlace, RowsAreWrittenOneByOne) {
  const Tensor w = leaf({2});
  const Tensor table = zeros({3, 2});
  for (int i = 0; i < 3; ++i) table[i] = w * i;
  EXPECT_TRUE(table.equal(tensor({{0., 0}, {2, 2}, {4, 4}})));
  (table * table).sum().backward();  // Σ 2·(i w)²
  EXPECT_EQ(w.grad().item<double>(), 2 * 2 * 2 * (1 + 4));
}

TEST(InPlace, ViewsFollowTheirBase) {
  const Tensor x = leaf({1, 2, 3, 4});
  const Tensor y = x * 1;
  const Tensor left = y.slice(0, 0, 2);
  y.mul_(10);
  EXPECT_TRUE(left.equal(tensor({10., 20})));
  left.sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({10., 10, 0, 0})));
}

TEST(InPlace, ViewsFollowOneAnother) {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor y = x * 1;
  const Tensor column = y.select(1, 0), row = y[0];
  row.mul_(10);                          // y = {{10, 20}, {3, 4}}
  column.mul_(column.detach().clone());  // y = {{100, 20}, {9, 4}}
  EXPECT_TRUE(row.equal(tensor({100., 20})));
  row.sum().backward({}, true);
  EXPECT_TRUE(x.grad().equal(tensor({{100., 10}, {0, 0}})));
  x.mutable_grad() = Tensor();
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({{100., 10}, {3, 1}})));
}

TEST(InPlace, AViewOfATensorThatRequiredNoneYet) {
  const Tensor w = leaf({5});
  const Tensor plain = zeros({3});
  const Tensor tail = plain.slice(0, 1);
  plain[2] = w[0];
  EXPECT_TRUE(tail.requires_grad());
  (tail * tensor({1., 7})).sum().backward();
  EXPECT_EQ(w.grad().item<double>(), 7);
}

TEST(InPlace, LeavesAreGuarded) {
  const Tensor x = leaf({1, 2});
  const std::string why =
      ": the tensor is a leaf that requires a gradient, or a view of one, and must not be changed in place; "
      "change it inside a NoGradGuard, or change a clone()";
  expect_error([&] { x.add_(1); }, "add_" + why);
  expect_error([&] { x[0] = 3; }, "fill_" + why);
  expect_error([&] { x.normal_(); }, "normal_" + why);
  EXPECT_TRUE(x.equal(tensor({1., 2}))) << "and nothing was written";
  const NoGradGuard no_grad;
  x.add_(1);
  x[0] = 7;
  EXPECT_TRUE(x.equal(tensor({7., 3})));
  EXPECT_TRUE(x.is_leaf());
}

TEST(InPlace, ASavedTensorThatWasChangedIsNoticed) {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor y = x * 1;
  const Tensor loss = (y * w).sum();
  y.add_(1);
  expect_error([&] { loss.backward(); },
               "backward: a tensor of shape [2] saved for the gradient of mul was modified in place: it is "
               "at version 1, not 0; change a clone() of it, or use the operation that returns a new tensor");
}

TEST(InPlace, AnIndexThatWasChangedIsNoticed) {
  const auto expect_noticed = [](const Tensor& result, const auto& change) {
    const Tensor loss = result.sum();
    change();
    EXPECT_PROBLEM(loss.backward(), "was modified in place");
  };
  const Tensor w = leaf({1, 2, 3, 4});
  const Tensor places = tensor({0, 0}), mask = tensor({1, 0, 0, 0}).to(bool_), target = tensor({1});
  expect_noticed(w.index({places}), [&] { places.add_(1); });
  expect_noticed(w.index({mask}), [&] { mask.fill_(true); });
  expect_noticed(w.masked_select(mask), [&] { mask.fill_(false); });
  const Tensor y = w * 1;
  y.index_put_({target}, leaf({5}));
  expect_noticed(y, [&] { target.add_(1); });
}

TEST(InPlace, IntegersNeverRequireGradients) {
  const Tensor x = leaf({1.5, 2.5}), whole = zeros({2}, {.dtype = int64}),
               flags = zeros({2}, {.dtype = bool_});
  whole[0] = x[1];
  flags.copy_(x);
  whole.index_fill_(0, tensor({1}), x.detach()[0].to(int64));
  EXPECT_FALSE(whole.requires_grad());
  EXPECT_FALSE(flags.requires_grad());
  EXPECT_EQ(whole[0].item<std::int64_t>(), 2);
}

TEST(InPlace, ItIsNoticedThroughEveryKindOfView) {
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> views[] = {
      {"view", [](const Tensor& t) { return t.view({4}); }},
      {"reshape", [](const Tensor& t) { return t.reshape({4}); }},
      {"transpose", [](const Tensor& t) { return t.transpose(0, 1); }},
      {"t", [](const Tensor& t) { return t.t(); }},
      {"permute",
       [](const Tensor& t) {
         return t.permute({1, 0});
       }},
      {"select", [](const Tensor& t) { return t[0]; }},
      {"slice", [](const Tensor& t) { return t.slice(0, 0, 1); }},
      {"narrow", [](const Tensor& t) { return t.narrow(1, 0, 1); }},
      {"index",
       [](const Tensor& t) {
         return t.index({ellipsis, 1});
       }},
      {"squeeze", [](const Tensor& t) { return t.unsqueeze(0).squeeze(); }},
      {"squeeze of one", [](const Tensor& t) { return t.unsqueeze(0).squeeze(0); }},
      {"unsqueeze", [](const Tensor& t) { return t.unsqueeze(1); }},
      {"flatten", [](const Tensor& t) { return t.flatten(); }},
      {"unflatten",
       [](const Tensor& t) {
         return t.unflatten(0, {1, 2});
       }},
      {"diagonal", [](const Tensor& t) { return t.diagonal(); }},
      {"as_strided", [](const Tensor& t) { return t.as_strided({2}, {2}); }},
      {"mT", [](const Tensor& t) { return t.mT(); }},
      {"split", [](const Tensor& t) { return t.split(1)[1]; }},
      {"split by sizes",
       [](const Tensor& t) {
         return t.split(std::vector<std::int64_t>{1, 1})[0];
       }},
      {"chunk", [](const Tensor& t) { return t.chunk(2)[1]; }},
      {"unbind", [](const Tensor& t) { return t.unbind()[0]; }},
      {"contiguous, of what is", [](const Tensor& t) { return t.contiguous(); }},
      {"to, of what is", [](const Tensor& t) { return t.to(float32); }},
      {"rearrange", [](const Tensor& t) { return rearrange(t, "a b -> (a b)"); }},
      {"detach", [](const Tensor& t) { return t.detach(); }},
      {"view of a dtype", [](const Tensor& t) { return t.view(float32); }},
      {"expand, below a select",
       [](const Tensor& t) {
         return t.unsqueeze(0).expand({3, 2, 2})[1];
       }},
  };
  for (const auto& [name, view] : views) {
    const Tensor w = leaf({{1, 2}, {3, 4}});
    const Tensor y = w * 1;
    const Tensor loss = (y * w).sum();
    {
      const NoGradGuard no_grad;
      view(y).zero_();
    }
    EXPECT_THROW(loss.backward(), TensorError) << name;
  }
}

TEST(InPlace, AnExpandedTensorIsNotWrittenTo) {
  const std::pair<const char*, std::function<void(const Tensor&)>> changes[] = {
      {"a unary row", [](const Tensor& t) { t.exp_(); }},
      {"a binary row", [](const Tensor& t) { t.add_(ones({3})); }},
      {"a binary row with a number", [](const Tensor& t) { t.add_(1); }},
      {"clamp_", [](const Tensor& t) { t.clamp_(Scalar(0), Scalar(1)); }},
      {"masked_fill_", [](const Tensor& t) { t.masked_fill_(t > 0, 1); }},
      {"copy_", [](const Tensor& t) { t.copy_(ones({3})); }},
      {"index_put_",
       [](const Tensor& t) {
         t.index_put_({tensor({0, 1})}, 1);
       }},
      {"index_add_",
       [](const Tensor& t) {
         t.index_add_(0, tensor({0, 1}), ones({2}));
       }},
      {"scatter_",
       [](const Tensor& t) {
         t.scatter_(0, tensor({0, 1}), 1);
       }},
      {"scatter_add_",
       [](const Tensor& t) {
         t.scatter_add_(0, tensor({0, 1}), ones({2}));
       }},
      {"uniform_", [](const Tensor& t) { t.uniform_(); }},
      {"bernoulli_", [](const Tensor& t) { t.bernoulli_(0.5); }},
      {"random_", [](const Tensor& t) { t.random_(); }},
  };
  for (const auto& [name, change] : changes) {
    const Tensor one = ones({1}), of_graph = leaf({1}) * 1;
    EXPECT_THROW(change(one.expand({3})), TensorError) << name;
    EXPECT_THROW(change(of_graph.expand({3})), TensorError) << name;
    EXPECT_TRUE(one.equal(ones({1}))) << name;
  }
}

TEST(InPlace, ViewsThatWereMadeWithoutRecordingAreNotChanged) {
  constexpr const char* kProblem = "a view made inside a NoGradGuard";
  const auto view_of = [](const Tensor& x) {
    const NoGradGuard no_grad;
    return x.narrow(0, 0, 2);
  };
  const Tensor of_leaf = leaf({1, 2, 3}), made = of_leaf * 1;
  EXPECT_PROBLEM(view_of(of_leaf).mul_(2), kProblem);
  EXPECT_PROBLEM(view_of(made).mul_(2), kProblem);
  EXPECT_PROBLEM(view_of(made).narrow(0, 0, 1).fill_(2), kProblem);
  EXPECT_PROBLEM(view_of(made).copy_(tensor({1., 2})), kProblem);
  EXPECT_PROBLEM(view_of(view_of(made)).index_put_({tensor({0})}, 2), kProblem);
  const Tensor plain = tensor({1., 2, 3}), view = view_of(plain);
  view.mul_(2);  // nobody asks for a gradient
  EXPECT_PROBLEM(view.mul_(leaf({1, 2})), kProblem);
  EXPECT_PROBLEM(view.copy_(leaf({1, 2})), kProblem);
  EXPECT_TRUE(plain.equal(tensor({2., 4, 3})));
  plain.requires_grad_();
  EXPECT_PROBLEM(view.mul_(2), kProblem);
  {
    const NoGradGuard no_grad;
    view.mul_(2);
  }
  EXPECT_TRUE(plain.equal(tensor({4., 8, 3})));
  made.detach().narrow(0, 0, 2).mul_(2);
}

TEST(InPlace, ViewsThatWereMadeWithoutRecordingDoNotLoseGradientsOfWhatIsLookedAt) {
  constexpr const char* kProblem = "made inside a NoGradGuard, and its base was since modified in place";
  const auto view_of = [](const Tensor& x) {
    const NoGradGuard no_grad;
    return x.narrow(0, 0, 2);
  };
  for (const Tensor& x : {tensor({1., 2, 3}), leaf({1, 2, 3}) * 1}) {
    const Tensor view = view_of(x), other = view_of(view), later = view.narrow(0, 0, 1);
    EXPECT_FALSE((view * 2).requires_grad());
    x.mul_(leaf({1, 1, 1}));
    EXPECT_PROBLEM(view * 2, kProblem);
    EXPECT_PROBLEM(other.sum(), kProblem);
    EXPECT_PROBLEM(later.sum(), kProblem);
    EXPECT_PROBLEM(view.narrow(0, 0, 1), kProblem);
    EXPECT_FALSE((view.detach() * 2).requires_grad());
    const NoGradGuard no_grad;
    EXPECT_TRUE((view * 2).equal(tensor({2., 4})));
  }
  const Tensor weight = leaf({1, 2, 3}), flat = view_of(weight);
  {
    const NoGradGuard no_grad;
    weight.mul_(2);
  }
  EXPECT_TRUE((flat + 0).equal(tensor({2., 4})));
}

TEST(InPlace, LeavesThatAreViews) {
  const Tensor base = tensor({1., 2, 3}), view = base.narrow(0, 0, 2);
  view.requires_grad_();
  EXPECT_PROBLEM(view.mul_(2), "a leaf that requires a gradient, or a view of one");
  EXPECT_PROBLEM(view.narrow(0, 0, 1).mul_(2), "a leaf that requires a gradient, or a view of one");
  const Tensor doubled = view * 2;
  base.mul_(leaf({2, 2, 2}));
  EXPECT_TRUE((view * 1).requires_grad());
  EXPECT_PROBLEM(doubled.sum().backward(), "a view of a tensor that was since modified in place");
}

TEST(InPlace, RetainedGradientsAreThoseOfTheNewNumbers) {
  const Tensor x = leaf({1, 1, 1}), y = x * 1;
  y.retain_grad();
  const Tensor before = y * 1;
  y.mul_(2);
  ((y * y).sum() + before.sum() * 10).backward();
  EXPECT_TRUE(y.grad().equal(tensor({4., 4, 4})));
  EXPECT_TRUE(x.grad().equal(tensor({18., 18, 18})));
}

TEST(InPlace, RetainedGradientsOfViewsAndTheirBases) {
  const Tensor x = leaf({1, 1, 1}), y = x * 1, view = y.narrow(0, 0, 2);
  y.retain_grad();
  view.retain_grad();
  view.mul_(2);
  ((y * y).sum() + (view * view).sum()).backward();
  EXPECT_TRUE(view.grad().equal(tensor({4., 4})));
  EXPECT_TRUE(y.grad().equal(tensor({8., 8, 2})));
  const Tensor z = x * 1, unused = z.narrow(0, 0, 2);
  unused.retain_grad();
  unused.mul_(2);
  (z * z).sum().backward();
  EXPECT_FALSE(unused.grad().defined());
}

}  // namespace
}  // namespace lectern
