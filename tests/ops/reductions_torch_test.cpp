#include <cmath>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "device/threads.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/extremum.h"
#include "ops/gradients_of.h"
#include "ops/join.h"
#include "ops/nonzero.h"
#include "ops/reductions.h"
#include "ops/scan.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

// The reductions but sums and extrema side by side with PyTorch's, and where it has no say.

namespace lectern {
namespace {

using test::expect_error;
using test::gradient_in_torch;
using test::In;
using test::kEvery;
using test::kInfinity;
using test::kNan;
using test::kReal;
using test::Out;
using test::TorchRow;

using test::kFloating;
const std::vector<Dtype> kWithIntegers = {float64, float32, float16, bfloat16, int64, int32, uint8, bool_};
const std::vector<Dtype> kIntegral = {int64, int32, int16, int8, uint8, bool_};

using Function = std::function<Tensor(const Tensor&)>;

TorchRow row(const std::string& expression, const Sizes& sizes, const std::vector<Dtype>& dtypes,
             const Function& function, double rtol = 0, double atol = 0, bool gradients = true) {
  return {expression, {sizes}, dtypes,   [=](const In& in) { return Out{function(in[0])}; },
          rtol,       atol,    gradients};
}

TEST(TorchReductions, Products) {
  std::vector<TorchRow> rows;
  for (const auto& dtypes : {kReal, kIntegral, {float16, bfloat16}}) {
    rows.push_back(row(
        "a.prod()", {3, 5}, dtypes, [](const Tensor& a) { return a.prod(); }, 30));
    rows.push_back(row("a.prod()", {0}, dtypes, [](const Tensor& a) { return a.prod(); }));
    rows.push_back(row("a.prod()", {}, dtypes, [](const Tensor& a) { return a.prod(); }));
    rows.push_back(row(
        "a.prod(1)", {3, 7, 2}, dtypes, [](const Tensor& a) { return a.prod(1); }, 14));
    rows.push_back(row(
        "a.prod(-1, keepdim=True)", {3, 7}, dtypes, [](const Tensor& a) { return a.prod(-1, true); }, 14));
    rows.push_back(row("a.prod(0)", {0, 3}, dtypes, [](const Tensor& a) { return a.prod(0); }));
    rows.push_back(row("a.prod(2)", {3, 3}, dtypes, [](const Tensor& a) { return a.prod(2); }));
    rows.push_back(row(
        "a.prod(dtype=torch.float64)", {4}, dtypes, [](const Tensor& a) { return a.prod(float64); }, 8));
    rows.push_back(row(
        "a.prod(0, dtype=torch.bool)", {2, 2}, dtypes,
        [](const Tensor& a) { return a.prod(0, false, bool_); }, 0, 0, false));
  }
  test::expect_as_torch(rows);
}

TEST(TorchReductions, Truths) {
  test::expect_as_torch({
      row("a.any()", {2, 3}, kEvery, [](const Tensor& a) { return a.any(); }),
      row("(a * 0).any()", {2, 3}, kEvery, [](const Tensor& a) { return (a * 0).any(); }),
      row("a.any(1)", {30, 2}, kEvery, [](const Tensor& a) { return a.any({1}); }),
      row("a.any(0, keepdim=True)", {2, 30}, kEvery, [](const Tensor& a) { return a.any({0}, true); }),
      row("a.any()", {0}, kEvery, [](const Tensor& a) { return a.any(); }),
      row("a.all()", {2}, kEvery, [](const Tensor& a) { return a.all(); }),
      row("a.all(1)", {30, 2}, kEvery, [](const Tensor& a) { return a.all({1}); }),
      row("a.all(-2, keepdim=True)", {2, 30}, kEvery, [](const Tensor& a) { return a.all({-2}, true); }),
      row("a.all(0)", {0, 3}, kEvery, [](const Tensor& a) { return a.all({0}); }),
      row("(a / 0).all()", {3}, {int64}, [](const Tensor& a) { return (a / 0).all(); }),
      row("torch.count_nonzero(a)", {300, 3}, kEvery, [](const Tensor& a) { return a.count_nonzero(); }),
      row("torch.count_nonzero(a, 1)", {4, 33}, kEvery, [](const Tensor& a) { return a.count_nonzero({1}); }),
      row("torch.count_nonzero(a, (0, 2))", {4, 3, 5}, kEvery,
          [](const Tensor& a) {
            return a.count_nonzero(Sizes{0, 2});
          }),
  });
}

TEST(TorchReductions, Variances) {
  const Sizes two_dims = {0, 2};
  std::vector<TorchRow> rows = {
      row(
          "a.var()", {7, 9}, kFloating, [](const Tensor& a) { return a.var(); }, 8, 1),
      row(  // mean / std, 2,000, is how much worse it is conditioned
          "(a + 1000).var()", {700, 9}, kReal, [](const Tensor& a) { return (a + 1000).var(); }, 2000, 20),
      // The gradient where all are equal is made of rounding errors; others stand below.
      row(
          "a.std()", {2000}, kFloating, [](const Tensor& a) { return a.std(); }, 8, 10, false),
      row(
          "a.var(1)", {5, 200}, kFloating, [](const Tensor& a) { return a.var({1}); }, 8, 1),
      row(
          "a.var(0)", {200, 5}, kFloating, [](const Tensor& a) { return a.var({0}); }, 8, 1),
      row(
          "a.var(0)", {90, 60}, kFloating, [](const Tensor& a) { return a.var({0}); }, 8, 1),
      row(
          "a.var((0, 2), correction=0)", {3, 4, 50}, kFloating,
          [=](const Tensor& a) { return a.var(two_dims, 0); }, 8, 1),
      row(
          "a.var(1, unbiased=False, keepdim=True)", {3, 4}, kFloating,
          [](const Tensor& a) { return a.var({1}, false, true); }, 8, 1),
      row(
          "a.std(1, unbiased=True)", {3, 40}, kFloating, [](const Tensor& a) { return a.std({1}, true); }, 8,
          1, false),
      row(
          "a.var(0, correction=2)", {2, 3}, kReal, [](const Tensor& a) { return a.var({0}, 2); }, 8),
      // PyTorch refuses the gradient of what is divided by 0.
      row(
          "a.var()", {1}, kFloating, [](const Tensor& a) { return a.var(); }, 0, 0, false),
      row(
          "a.var()", {}, kFloating, [](const Tensor& a) { return a.var(); }, 0, 0, false),
      row("a.var(0)", {0, 2}, kFloating, [](const Tensor& a) { return a.var({0}); }),
      row("a.var()", {3}, kIntegral, [](const Tensor& a) { return a.var(); }),
      row("a.var((0, 0))", {3}, kReal,
          [](const Tensor& a) {
            return a.var(Sizes{0, 0});
          }),
      row("a.std(3)", {3}, kReal, [](const Tensor& a) { return a.std({3}); }),
  };
  test::expect_as_torch(rows);
}

TEST(TorchReductions, Norms) {
  std::vector<TorchRow> rows;
  for (const double p : {2., 1., 0., 3., 0.5, -1., kInfinity, -kInfinity}) {
    const std::string text = std::isinf(p) ? (p > 0 ? "float('inf')" : "-float('inf')") : std::to_string(p);
    // PyTorch adds up powers one after the other.
    const double sums = p == 0 || std::isinf(p) ? 0 : 100;
    // In narrow dtypes, too: compared with float64 rounded once.
    const auto add = [&](const std::string& rest, const Sizes& sizes, const Function& function) {
      const std::string call = "torch.norm(a, " + text + rest + ")";
      rows.push_back(row(call, sizes, kReal, function, sums));
      rows.push_back(row(call, sizes, {float16, bfloat16, float8_e4m3fn, float8_e5m2}, function, sums));
      rows.back().composed = true;
    };
    add("", {5, 30}, [=](const Tensor& a) { return a.norm(p); });
    add(", dim=1", {5, 30}, [=](const Tensor& a) { return a.norm(p, {1}); });
    add(", dim=0, keepdim=True", {50, 3}, [=](const Tensor& a) { return a.norm(p, {0}, true); });
    add(", dim=1", {2, 0}, [=](const Tensor& a) { return a.norm(p, {1}); });
    rows.push_back(row(
        "torch.norm(a, " + text + ", dim=0, dtype=torch.float64)", {9}, {float32, float64},
        [=](const Tensor& a) { return a.norm(p, {0}, false, float64); }, sums));
    if (p <= 0 || p == 0.5) continue;  // of 0 none, of the others any where a number is near 0
    rows.push_back({gradient_in_torch("torch.norm(x, " + text + ", dim=1)", "b"),
                    {{4, 6}, {4}},
                    kReal,
                    [=](const In& in) {
                      return Out{
                          test::gradient_of([=](const Tensor& x) { return norm(x, p, {1}); }, in[0], in[1])};
                    },
                    30,
                    4});
  }
  // One 0 makes a norm of a negative order 0, which has no gradient.
  rows.push_back(row(
      "torch.norm(a * (a > 0), -1, dim=0)", {4, 3}, {float64, float32},
      [](const Tensor& a) { return norm(a * (a > 0), -1, {0}); }, 100));
  rows.push_back(row("torch.norm(a)", {3}, kIntegral, [](const Tensor& a) { return a.norm(); }));
  test::expect_as_torch(rows);
}

TEST(TorchReductions, LogSumExp) {
  test::expect_as_torch({
      row(
          "a.logsumexp(1)", {5, 300}, kFloating, [](const Tensor& a) { return a.logsumexp({1}); }, 8, 8),
      row(
          "a.logsumexp(0)", {300, 5}, kFloating, [](const Tensor& a) { return a.logsumexp({0}); }, 8, 8),
      row(
          "a.logsumexp((0, 2), keepdim=True)", {3, 4, 5}, kFloating,
          [](const Tensor& a) {
            return a.logsumexp(Sizes{0, 2}, true);
          },
          8),
      row(
          "a.logsumexp(0)", {}, kFloating, [](const Tensor& a) { return a.logsumexp({0}); }, 8, 8),
      row("a.logsumexp(0)", {0, 2}, kFloating, [](const Tensor& a) { return a.logsumexp({0}); }),
      row(
          "a.logsumexp(0)", {7}, kIntegral, [](const Tensor& a) { return a.logsumexp({0}); }, 8, 8),
      row(
          "(a * 10000).logsumexp(1)", {4, 40}, kReal,
          [](const Tensor& a) { return (a * 10000).logsumexp({1}); }, 4),
      row("torch.log(a - a).logsumexp(1)", {3, 20}, kReal,
          [](const Tensor& a) { return (a - a).log().logsumexp({1}); }),
  });
}

TEST(TorchReductions, Positions) {
  const std::vector<Dtype> dtypes = {float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8};
  test::expect_as_torch({
      row("a.argmax()", {13, 31}, dtypes, [](const Tensor& a) { return a.argmax(); }),
      row("a.argmin()", {13, 31}, dtypes, [](const Tensor& a) { return a.argmin(); }),
      row("a.argmax(keepdim=True)", {3, 4}, kReal, [](const Tensor& a) { return a.argmax({}, true); }),
      row("a.argmax(1)", {3, 40}, dtypes, [](const Tensor& a) { return a.argmax(1); }),
      row("a.argmin(-2, keepdim=True)", {3, 40}, dtypes, [](const Tensor& a) { return a.argmin(-2, true); }),
      row("a.argmax()", {}, dtypes, [](const Tensor& a) { return a.argmax(); }),
      row("a.argmax()", {0}, kReal, [](const Tensor& a) { return a.argmax(); }),
      row("a.argmax(0)", {0, 2}, kReal, [](const Tensor& a) { return a.argmax(0); }),
      row("a.argmax(1)", {0, 2}, kReal, [](const Tensor& a) { return a.argmax(1); }),
      row("a.max(1).values", {3, 4}, kReal, [](const Tensor& a) { return a.max(1).values; }),
      row("a.amin((0, 1))", {3, 4}, kReal,
          [](const Tensor& a) {
            return a.amin(Sizes{0, 1});
          }),
  });
}

TEST(TorchReductions, RunningSums) {
  std::vector<TorchRow> rows;
  const std::vector<Dtype> dtypes = {float32, float16, bfloat16, int64, int32, int16, int8, uint8, bool_};
  for (const auto& [sizes, dim] : std::initializer_list<std::pair<Sizes, std::int64_t>>{{{3, 50}, 1},
                                                                                        {{50, 3}, 0},
                                                                                        {{2, 40, 3}, -2},
                                                                                        {{1500}, 0},
                                                                                        {{}, 0},
                                                                                        {{0, 3}, 0},
                                                                                        {{3, 0}, 1},
                                                                                        {{3}, 1}}) {
    const std::int64_t along = dim;
    // Numbers of float64 are rounded at each addition, in another order on a GPU.
    const double added = sizes.empty() ? 1 : 10. * static_cast<double>(sizes[0] + sizes.back());
    rows.push_back(row(
        "a.cumsum(" + std::to_string(dim) + ")", sizes, {float64},
        [=](const Tensor& a) { return a.cumsum(along); }, 400, added));
    rows.push_back(row(
        "a.cumsum(" + std::to_string(dim) + ")", sizes, dtypes,
        [=](const Tensor& a) { return a.cumsum(along); }, 4, 40));
    rows.push_back(row(
        "a.cumsum(" + std::to_string(dim) + ", dtype=torch.float64)", sizes, {float32, int32},
        [=](const Tensor& a) { return a.cumsum(along, float64); }, 400, added));
    if (along >= std::max<std::int64_t>(1, static_cast<std::int64_t>(sizes.size()))) continue;
    rows.push_back({gradient_in_torch("x.cumsum(" + std::to_string(dim) + ")", "b"),
                    {sizes, sizes},
                    kReal,
                    [=](const In& in) {
                      return Out{
                          test::gradient_of([=](const Tensor& x) { return x.cumsum(along); }, in[0], in[1])};
                    },
                    400,
                    added});
  }
  rows.push_back(row("a.cumsum(0, dtype=torch.int8)", {90}, kIntegral,
                     [](const Tensor& a) { return a.cumsum(0, int8); }));
  test::expect_as_torch(rows);
}

TEST(TorchReductions, RunningProducts) {
  std::vector<TorchRow> rows;
  for (const auto& [sizes, dim] : std::initializer_list<std::pair<Sizes, std::int64_t>>{{{3, 9}, 1},
                                                                                        {{9, 3}, 0},
                                                                                        {{2, 7, 3}, -2},
                                                                                        {{130}, 0},
                                                                                        {{}, 0},
                                                                                        {{0, 3}, 0},
                                                                                        {{3, 0}, 1},
                                                                                        {{3}, 1}}) {
    const std::int64_t along = dim;
    const std::string argument = std::to_string(dim);
    const bool is_long = !sizes.empty() && sizes[0] > 100;
    rows.push_back(row(
        "a.cumprod(" + argument + ")", sizes, is_long ? kReal : kWithIntegers,
        [=](const Tensor& a) { return a.cumprod(along); }, 400, 40, !is_long));
    rows.push_back(row(
        "a.cumprod(" + argument + ", dtype=torch.float64)", sizes, {float32, int32},
        [=](const Tensor& a) { return a.cumprod(along, float64); }, 400, 40, !is_long));
    if (is_long || along >= std::max<std::int64_t>(1, static_cast<std::int64_t>(sizes.size()))) continue;
    // With one zero in some lines and several in others.
    for (const std::string zeros : {"", " * (x > 0)", " * (x > -1)"}) {
      rows.push_back(
          {gradient_in_torch("(x" + zeros + ").cumprod(" + argument + ")", "b"),
           {sizes, sizes},
           kReal,
           [=](const In& in) {
             const Tensor mask = zeros.empty() ? ones_like(in[0])
                                               : (in[0] > (zeros == " * (x > 0)" ? 0 : -1)).to(in[0].dtype());
             const Tensor x = in[0] * mask;
             return Out{
                 test::gradient_of([=](const Tensor& factors) { return factors.cumprod(along); }, x, in[1]) *
                 mask};
           },
           400,
           40});
    }
  }
  test::expect_as_torch(rows);
}

TEST(TorchReductions, Gradients) {
  const auto binary = [](const std::string& expression, const std::vector<Sizes>& shapes,
                         const std::function<Tensor(const Tensor& x, const Tensor& grad)>& function) {
    return TorchRow{gradient_in_torch(expression, "b"),
                    shapes,
                    kReal,
                    [=](const In& in) { return Out{function(in[0], in[1])}; },
                    60,
                    8};
  };
  test::expect_as_torch({
      binary("x.var(1)", {{4, 30}, {4}},
             [](const Tensor& x, const Tensor& grad) {
               return test::gradient_of([](const Tensor& in) { return var(in, {1}); }, x, grad);
             }),
      binary("x.var()", {{4, 3}, {}},
             [](const Tensor& x, const Tensor& grad) {
               return test::gradient_of([](const Tensor& in) { return var(in); }, x, grad);
             }),
      binary("x.std(0, correction=0)", {{30, 4}, {4}},
             [](const Tensor& x, const Tensor& grad) {
               return test::gradient_of([](const Tensor& in) { return in.std({0}, 0); }, x, grad);
             }),
      binary("x.prod(1)", {{4, 5}, {4}},
             [](const Tensor& x, const Tensor& grad) {
               return test::gradient_of([](const Tensor& in) { return prod(in, 1); }, x, grad);
             }),
      binary("(x * (x > 0)).prod(1)", {{40, 3}, {40}},
             [](const Tensor& x, const Tensor& grad) {
               const Tensor positive = x.gt(0).to(x.dtype());
               return test::gradient_of([](const Tensor& in) { return prod(in, 1); }, x * positive, grad) *
                      positive;
             }),
      binary("x.prod()", {{6}, {}},
             [](const Tensor& x, const Tensor& grad) {
               return test::gradient_of([](const Tensor& in) { return prod(in); }, x, grad);
             }),
      binary("x.amax((0, 1))", {{4, 5}, {}},
             [](const Tensor& x, const Tensor& grad) {
               return test::gradient_of([](const Tensor& in) { return amax(in, Sizes{0, 1}); }, x, grad);
             }),
      binary("x.round().amin(1)", {{4, 50}, {4}},  // several are the smallest
             [](const Tensor& x, const Tensor& grad) {
               const Tensor rounded = x.gt(0.5).to(x.dtype()) - x.lt(-0.5).to(x.dtype());
               return test::gradient_of([](const Tensor& in) { return amin(in, {1}); }, rounded, grad) * 0;
             }),
  });
}

TEST(TorchReductions, GradientsAtTheEdges) {
  std::vector<TorchRow> rows;
  // Of a tensor with these numbers, or, of one number, without dimensions; the result's is 2.
  const auto add = [&](const std::string& expression, const std::vector<double>& numbers,
                       const Function& function) {
    std::string text;
    for (const double number : numbers) {
      text += (text.empty() ? "" : ", ") +
              (std::isnan(number) ? "inf - inf"
                                  : (number < 0 ? "-" : "") +
                                        (std::isinf(number) ? "inf" : std::to_string(std::abs(number))));
    }
    const bool alone = numbers.size() == 1;
    rows.push_back({"[x := torch.tensor(" + (alone ? text : "[" + text + "]") +
                        ").to(a).requires_grad_(), y := " + expression +
                        ", torch.autograd.grad(y, x, torch.full_like(y, 2))][-1]",
                    {{}},
                    kReal,
                    [=](const In& in) {
                      const Tensor given = tensor(numbers, {.dtype = in[0].dtype()}).to(in[0].device());
                      const Tensor x = (alone ? given.reshape({}) : given).requires_grad_();
                      const Tensor y = function(x);
                      return autograd::grad({y}, {x}, {full_like(y, 2)});
                    },
                    4});
  };
  for (const std::vector<double>& numbers : std::initializer_list<std::vector<double>>{
           {1, kNan, 3, kNan}, {1, kInfinity, kInfinity}, {-kInfinity, 1}, {0, 0}, {0, kNan}, {kNan}}) {
    add("x.max()", numbers, [](const Tensor& x) { return x.max(); });
    add("x.min()", numbers, [](const Tensor& x) { return x.min(); });
    add("x.amax(0)", numbers, [](const Tensor& x) { return x.amax({0}); });
    add("x.amin(0)", numbers, [](const Tensor& x) { return x.amin({0}); });
    add("x.norm(inf)", numbers, [](const Tensor& x) { return x.norm(kInfinity); });
    add("x.norm(-inf)", numbers, [](const Tensor& x) { return x.norm(-kInfinity); });
    for (const double p : {1., 2., 3., -1.}) {
      add("x.norm(" + std::to_string(p) + ")", numbers, [=](const Tensor& x) { return x.norm(p); });
    }
  }
  for (const std::vector<double>& numbers : std::initializer_list<std::vector<double>>{{0, kInfinity, 2},
                                                                                       {0, kNan, 2},
                                                                                       {0, kInfinity, kNan},
                                                                                       {0, -kInfinity},
                                                                                       {kInfinity, 2, 3},
                                                                                       {kNan, 2},
                                                                                       {0, 2, 3},
                                                                                       {kInfinity}}) {
    add("x.prod()", numbers, [](const Tensor& x) { return x.prod(); });
    add("x.prod(0)", numbers, [](const Tensor& x) { return x.prod(0); });
  }
  add("x.prod(0)", {0, 0, kInfinity}, [](const Tensor& x) { return x.prod(0); });
  for (const std::vector<double>& numbers : std::initializer_list<std::vector<double>>{{3}, {3, 4}, {3, 3}}) {
    for (const std::int64_t correction : {0, 1, 2, 3}) {
      const std::string given = "(0, correction=" + std::to_string(correction) + ")";
      add("x.var" + given, numbers, [=](const Tensor& x) { return x.var({0}, correction); });
      add("x.std" + given, numbers, [=](const Tensor& x) { return x.std({0}, correction); });
    }
  }
  for (const double number : {3., kNan}) {
    add("x.var()", {number}, [](const Tensor& x) { return x.var(); });
    add("x.std()", {number}, [](const Tensor& x) { return x.std(); });
    add("x.var(unbiased=False)", {number}, [](const Tensor& x) { return x.var({}, false); });
    add("x.std(unbiased=False)", {number}, [](const Tensor& x) { return x.std({}, false); });
  }
  test::expect_as_torch(rows);
}

TEST(Variance, SurvivesALargeMean) {
  const Tensor x = test::uniform({100'000}, float32);
  const Tensor shifted = x + 4096;
  const double exact = (shifted.to(float64)).var().item<double>();
  EXPECT_NEAR(shifted.var().item<double>(), exact, 1e-5 * exact);
  const Tensor columns = shifted.view({1000, 100});
  EXPECT_TRUE(columns.var({0}).allclose(columns.to(float64).var({0}).to(float32), 1e-4));
}

TEST(Variance, SurvivesAnOutlierAtTheFront) {
  const Tensor x = test::uniform({3, 10'000}, float32);
  x.select(1, 0).fill_(1e5);
  const Tensor far = cat({x * 1e10, x * 1e-10});
  for (const Tensor& rows : {x, far, far.narrow(1, 1, 9'998)}) {
    const Tensor wanted = rows.to(float64).var({1}).to(float32), got = rows.var({1});
    EXPECT_TRUE(got.allclose(wanted, 1e-5, 1e-25));
  }
}

TEST(LogSumExp, KnowsInfinitiesAndNan) {
  const Tensor x = tensor({{kInfinity, kInfinity, 1.},
                           {-kInfinity, 2., -kInfinity},
                           {-kInfinity, -kInfinity, -kInfinity},
                           {1., std::nan(""), 3.}});
  for (const Tensor& rows : {x, x.t().contiguous().t(), x.to(float32), x.to(bfloat16)}) {
    const Tensor got = logsumexp(rows, {1}).cpu();
    EXPECT_EQ(got[0].item<double>(), kInfinity);
    EXPECT_EQ(got[1].item<double>(), 2);
    EXPECT_EQ(got[2].item<double>(), -kInfinity);
    EXPECT_TRUE(std::isnan(got[3].item<double>()));
  }
  EXPECT_EQ(logsumexp(full({70'000}, 1e4)).item<float>(), 1e4F + std::log(7e4F));
}

TEST(CountNonzero, IsExactBeyondFloats) {
  EXPECT_EQ(ones({(1 << 24) + 3}).count_nonzero().item<std::int64_t>(), (1 << 24) + 3);
}

TEST(Reductions, ThreadsChangeNoBit) {
  const int before = get_num_threads();
  for (const Sizes& sizes : std::initializer_list<Sizes>{{200'003}, {1'500, 301}, {70'000, 3}}) {
    const Tensor x = test::uniform(sizes, float32);
    const auto all = [&] {
      return Out{x.var({0}), x.norm(2, {0}), x.logsumexp({0}), x.norm(3, {-1}),
                 x.prod(0),  x.std(),        x.cumsum(-1)};
    };
    set_num_threads(1);
    const Out alone = all();
    set_num_threads(3);
    const Out together = all();
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(test::same_bits(alone[i], together[i])) << i;
  }
  set_num_threads(before);
}

TEST(Reductions, RefuseWhatTheyCannotDo) {
  expect_error([] { ones({3}, {.dtype = int64}).var(); },
               "var: the dtype must be floating, not int64; convert with to()");
  expect_error([] { ones({3}, {.dtype = bool_}).norm(); },
               "norm: the dtype must be floating, not bool; convert with to()");
  EXPECT_THROW(ones({2, 3}).any({0, 0}), TensorError);
  EXPECT_THROW(ones({2, 3}).logsumexp({2}), TensorError);
}

}  // namespace
}  // namespace lectern
