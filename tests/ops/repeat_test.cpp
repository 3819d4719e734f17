#include "ops/repeat.h"

#include <gtest/gtest.h>

#include "device/counters.h"
#include "ops/expect_error.h"
#include "ops/flip.h"
#include "ops/gradients_of.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

// Repeated, flipped and rolled.

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kEvery;
using test::kReal;
using test::Out;

TEST(Repeat, AsPyTorch) {
  std::vector<test::TorchRow> rows;
  const auto add = [&](const std::string& expression, const Sizes& sizes,
                       const std::function<Tensor(const Tensor&)>& function) {
    rows.push_back({expression, {sizes}, kEvery, [=](const In& in) { return Out{function(in[0])}; }});
  };
  add("a.repeat(2, 3)", {3, 4}, [](const Tensor& a) { return a.repeat({2, 3}); });
  add("a.repeat(2, 1, 3)", {3, 4}, [](const Tensor& a) { return a.repeat({2, 1, 3}); });
  add("a.repeat(4, 2)", {3, 1}, [](const Tensor& a) { return a.repeat({4, 2}); });
  add("a.repeat(2, 0)", {3, 4}, [](const Tensor& a) { return a.repeat({2, 0}); });
  add("a.repeat(3)", {}, [](const Tensor& a) { return a.repeat({3}); });
  add("a.repeat(())", {}, [](const Tensor& a) { return a.repeat({}); });
  add("a.repeat(2, 2)", {0, 3}, [](const Tensor& a) { return a.repeat({2, 2}); });
  add("a.repeat(2)", {2, 3}, [](const Tensor& a) { return a.repeat({2}); });
  add("a.repeat(2, -1)", {2, 3}, [](const Tensor& a) { return a.repeat({2, -1}); });
  add("a.tile(3)", {2, 3}, [](const Tensor& a) { return a.tile({3}); });
  add("a.tile(2, 1, 2)", {2, 3}, [](const Tensor& a) { return a.tile({2, 1, 2}); });
  add("a.repeat_interleave(3)", {2, 3}, [](const Tensor& a) { return a.repeat_interleave(3); });
  add("a.repeat_interleave(3, 0)", {2, 3}, [](const Tensor& a) { return a.repeat_interleave(3, 0); });
  add("a.repeat_interleave(2, -1)", {2, 3}, [](const Tensor& a) { return a.repeat_interleave(2, -1); });
  add("a.repeat_interleave(0, -1)", {2, 3}, [](const Tensor& a) { return a.repeat_interleave(0, -1); });
  add("a.repeat_interleave(torch.tensor([2, 0, 3]), 1)", {2, 3}, [](const Tensor& a) {
    return a.repeat_interleave(tensor({2, 0, 3}), 1);
  });
  add("a.repeat_interleave(torch.tensor([2]), 1)", {2, 3},
      [](const Tensor& a) { return a.repeat_interleave(tensor({2}), 1); });
  add("a.repeat_interleave(torch.tensor([2, 1, 0, 1, 1, 1]))", {2, 3}, [](const Tensor& a) {
    return a.repeat_interleave(tensor({2, 1, 0, 1, 1, 1}));
  });
  add("a.repeat_interleave(torch.tensor([2, 0, 3], dtype=torch.int32), 1)", {2, 3}, [](const Tensor& a) {
    return a.repeat_interleave(tensor({2, 0, 3}, {.dtype = int32}), 1);
  });
  for (const Dtype dtype : {int64, int32, int16}) {
    add("torch.repeat_interleave(torch.tensor([2, 0, 3], dtype=torch." + std::string(name(dtype)) + "))", {},
        [=](const Tensor&) {
          return repeat_interleave(tensor({2, 0, 3}, {.dtype = dtype}));
        });
  }
  add("a.repeat_interleave(torch.tensor([2, 1]), 1)", {2, 3}, [](const Tensor& a) {
    return a.repeat_interleave(tensor({2, 1}), 1);
  });
  test::expect_as_torch(rows);
}

TEST(Flip, AsPyTorch) {
  std::vector<test::TorchRow> rows;
  const auto add = [&](const std::string& expression, const Sizes& sizes,
                       const std::function<Tensor(const Tensor&)>& function) {
    rows.push_back({expression, {sizes}, kEvery, [=](const In& in) { return Out{function(in[0])}; }});
  };
  add("a.flip(0)", {4, 5}, [](const Tensor& a) { return a.flip({0}); });
  add("a.flip(0, -1)", {4, 5, 3}, [](const Tensor& a) { return a.flip({0, -1}); });
  add("a.flip(1)", {0, 5}, [](const Tensor& a) { return a.flip({1}); });
  add("a.flip(())", {2, 5}, [](const Tensor& a) { return a.flip({}); });
  add("a.flip(0, 0)", {2, 5}, [](const Tensor& a) { return a.flip({0, 0}); });
  add("a.flip(2)", {2, 5}, [](const Tensor& a) { return a.flip({2}); });
  add("a.roll(2)", {4, 5}, [](const Tensor& a) { return a.roll({2}); });
  add("a.roll(-1, 0)", {4, 5}, [](const Tensor& a) { return a.roll({-1}, {0}); });
  add("a.roll((3, -13), (1, 0))", {4, 5}, [](const Tensor& a) { return a.roll({3, -13}, {1, 0}); });
  add("a.roll((1, 1), (0, 0))", {4, 5}, [](const Tensor& a) { return a.roll({1, 1}, {0, 0}); });
  add("a.roll(1, 0)", {0, 5}, [](const Tensor& a) { return a.roll({1}, {0}); });
  add("a.roll(1)", {}, [](const Tensor& a) { return a.roll({1}); });
  add("a.roll((1, 2))", {4, 5}, [](const Tensor& a) { return a.roll({1, 2}); });
  add("a.roll((), 0)", {4, 5}, [](const Tensor& a) { return a.roll({}, {0}); });
  test::expect_as_torch(rows);
}

TEST(Repeat, GradientsAsPyTorch) {
  test::expect_as_torch({
      {"(lambda x: torch.autograd.grad(x.repeat(2, 3, 2), x, b))(a.clone().requires_grad_())",
       {{1, 4}, {2, 3, 8}},
       kReal,
       [](const In& in) {
         return Out{test::gradient_of([](const Tensor& x) { return x.repeat({2, 3, 2}); }, in[0], in[1])};
       },
       4,
       16},
      {"(lambda x: torch.autograd.grad(x.repeat(0, 3), x, b))(a.clone().requires_grad_())",
       {{2, 4}, {0, 12}},
       kReal,
       [](const In& in) {
         return Out{test::gradient_of([](const Tensor& x) { return x.repeat({0, 3}); }, in[0], in[1])};
       }},
      {"(lambda x: torch.autograd.grad(x.roll((1, -2), (0, 1)), x, b))(a.clone().requires_grad_())",
       {{2, 4}, {2, 4}},
       kReal,
       [](const In& in) {
         return Out{roll(in[1], {-1, 2}, {0, 1})};
       }},
      {"(lambda x: torch.autograd.grad(x.flip(0, 1), x, b))(a.clone().requires_grad_())",
       {{2, 4}, {2, 4}},
       kReal,
       [](const In& in) {
         return Out{flip(in[1], {0, 1})};
       }},
  });
}

TEST(Repeat, WritesEachElementOnce) {
  const Tensor x = zeros({6, 4});
  const CountScope scope;
  x.repeat({3, 2});
  EXPECT_EQ(scope.counted(), (Counters{0, 7 * x.nbytes()}));
}

TEST(Repeat, ErrorsNameTheArgument) {
  expect_error(
      [] {
        zeros({2, 3}).repeat({2});
      },
      "repeat: repeats must be one for each dimension of shape [2, 3], not [2]");
  expect_error(
      [] {
        zeros({2, 3}).repeat({2, -1});
      },
      "repeat: every number of repeats must be 0 or more, not -1");
  constexpr std::int64_t kLarge = std::int64_t{1} << 62;
  expect_error(
      [] { zeros({2}).repeat({kLarge}); },
      "repeat: the number of elements must be below 2^63, not that of shape [2, 4611686018427387904]");
  expect_error([] { ones(Sizes::filled(9, 2)).repeat(Sizes::filled(9, 2)); },
               "repeat: the dimensions, and once more those that are repeated, must be at most 16, not 18");
  expect_error([] { zeros({2}).tile({-1}); }, "tile: every number of repeats must be 0 or more, not -1");
  expect_error([] { zeros({2}).repeat_interleave(kLarge); },
               "repeat_interleave: the number of elements must be below 2^63, not that of shape [2, "
               "4611686018427387904]");
  expect_error(
      [] {
        zeros({2}).repeat_interleave(tensor({1, 2}), 1);
      },
      "repeat_interleave: dim must be from -1 to 0, not 1");
  expect_error(
      [] {
        zeros({2, 3}).repeat_interleave(tensor({1, 2}), 1);
      },
      "repeat_interleave: repeats must be of the size of the dimension, 3, not of shape [2]");
  expect_error(
      [] {
        zeros({2}).repeat_interleave(tensor({1, -2}));
      },
      "repeat_interleave: every number of repeats must be 0 or more, not -2");
  expect_error([] { zeros({2}).flip({0, 0}); }, "flip: dims must be all different, not [0, 0]");
  expect_error(
      [] {
        zeros({2}).roll({1, 2});
      },
      "roll: dims must be one for each of the shifts [1, 2], not []");
}

}  // namespace
}  // namespace lectern
