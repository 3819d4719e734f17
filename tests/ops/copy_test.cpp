#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::number;
using test::rounded;

double converted(double value, Dtype to) {
  return to == bool_ ? (value != 0 ? 1 : 0) : rounded(value, to);
}

void expect_numbers(const Tensor& got, const Tensor& from) {
  ASSERT_EQ(got.sizes(), from.sizes());
  const Tensor got_here = test::on_host(got), from_here = test::on_host(from);
  test::for_each_index(got.sizes(), [&](const Sizes& at) {
    const double expected = converted(number(from_here, at), got.dtype());
    ASSERT_EQ(number(got_here, at), expected) << "at " << to_string(at);
  });
}

TEST(Copy, EveryDtypeInEveryLayoutBecomesEveryDtype) {
  for (const Dtype from : test::kAllDtypes) {
    for (const Sizes& sizes : {Sizes{}, Sizes{0, 3}, Sizes{7}, Sizes{5, 33}, Sizes{3, 2, 40}}) {
      for (const test::Laid& laid : test::layouts(sizes, from)) {
        for (const Dtype to : test::kAllDtypes) {
          SCOPED_TRACE(std::string(name(from)) + " to " + std::string(name(to)) + ", " + to_string(sizes) +
                       " " + laid.how);
          expect_numbers(laid.tensor.to(to), laid.tensor);
          // Into every third element of something larger, whose others stay.
          Sizes wider = sizes;
          for (std::int64_t& size : wider) size *= 3;
          const Tensor target = full(wider, 1, {.dtype = to});
          Tensor view = target;
          for (std::size_t d = 0; d < sizes.size(); ++d)
            view = view.slice(static_cast<std::int64_t>(d), 1, {}, 3);
          view.copy_(laid.tensor);
          expect_numbers(view, laid.tensor);
          const Tensor target_here = test::on_host(target);
          double others = 0;
          test::for_each_index(wider, [&](const Sizes& at) {
            bool inside = true;
            for (const std::int64_t i : at) inside = inside && i % 3 == 1;
            if (!inside) others += number(target_here, at) == 1 ? 0 : 1;
          });
          ASSERT_EQ(others, 0);
        }
      }
    }
  }
}

/// Larger than what one thread does, than a tile, and than what is kept in the caches.
TEST(Copy, LargeTensors) {
  for (const Sizes& sizes : {Sizes{333, 257}, Sizes{2048, 2112}, Sizes{2051, 2111}}) {
    const Tensor x = arange(checked_numel("", sizes), {.dtype = float32}).view(sizes);
    const Tensor bytes = x.to(uint8);
    const Tensor transposed = x.t().contiguous();
    const Tensor back = transposed.t().contiguous();
    const Tensor halves = x.t().to(bfloat16);
    const Tensor cloned = x.clone();
    const Tensor transposed_bytes = bytes.t().contiguous();
    const Tensor columns = empty({sizes[0], 3 * sizes[1]}).slice(1, 0, {}, 3).copy_(x);
    ASSERT_TRUE(test::same_bits(back, x));
    ASSERT_TRUE(test::same_bits(cloned, x));
    for (std::int64_t i = 0; i < sizes[0]; i += 37) {
      for (std::int64_t j = 0; j < sizes[1]; ++j) {
        const double value = number(x, {i, j});
        ASSERT_EQ(number(transposed, {j, i}), value);
        ASSERT_EQ(number(columns, {i, j}), value);
        ASSERT_EQ(number(halves, {j, i}), rounded(value, bfloat16));
        ASSERT_EQ(number(transposed_bytes, {j, i}), rounded(value, uint8));
      }
    }
  }
}

TEST(Copy, SpecialNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = tensor({NAN, infinity, -infinity, -0.0, 2.7, -2.7, 300.7}, {.dtype = float64});
  const Tensor truths = x.to(bool_);
  const double expected[] = {1, 1, 1, 0, 1, 1, 1};
  for (std::int64_t i = 0; i < 7; ++i) EXPECT_EQ(number(truths, {i}), expected[i]);
  EXPECT_TRUE(std::isnan(number(x.to(float16), {0})));
  EXPECT_EQ(number(x.to(bfloat16), {2}), -infinity);
  EXPECT_EQ(number(x.to(int32), {5}), -2);
  EXPECT_EQ(number(x.to(uint8), {6}), 44);
  // Not through double, which would lose the last bits.
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  const Tensor n = tensor({large}, {.dtype = int64});
  EXPECT_EQ(number(n.to(float32), {0}), std::ldexp(1.0, 62));
  EXPECT_EQ(n.to(int8).item<std::int64_t>(), 1);
  const Tensor m = tensor({(std::int64_t{1} << 53) + (std::int64_t{1} << 29) + 1}, {.dtype = int64});
  EXPECT_EQ(number(m.to(float32), {0}), std::ldexp(1.0, 53) + std::ldexp(1.0, 30));
}

TEST(Copy, BroadcastsTheSource) {
  const Tensor x = zeros({2, 3});
  x.copy_(tensor({1., 2, 3}));
  EXPECT_EQ(number(x, {1, 2}), 3);
  x.copy_(tensor({{5.}, {6}}));
  EXPECT_EQ(number(x, {1, 0}), 6);
  x.copy_(tensor(7));
  EXPECT_EQ(number(x, {0, 1}), 7);
}

TEST(Copy, LayoutsAreThoseOfPyTorch) {
  EXPECT_EQ(zeros({4, 5}).t().clone().strides(), (Sizes{1, 5}));
  EXPECT_EQ(zeros({4, 5}).slice(1, 0, {}, 2).t().clone().strides(), (Sizes{1, 3}));
  EXPECT_EQ(zeros({4, 5}).t().to(float64).strides(), (Sizes{1, 5}));
  EXPECT_EQ(zeros({4, 5}).t().contiguous().strides(), (Sizes{4, 1}));
  EXPECT_EQ(zeros({2}).expand({3, 2}).clone().strides(), (Sizes{2, 1}));
  EXPECT_EQ(zeros({2, 1}).expand({2, 3}).clone().strides(), (Sizes{3, 1}));
}

TEST(Copy, ReturnsItselfWhereNothingChanges) {
  const Tensor x = zeros({2, 3});
  EXPECT_TRUE(x.contiguous().is_same(x));
  EXPECT_TRUE(x.to(float32).is_same(x));
  EXPECT_TRUE(x.to(default_device()).is_same(x));
  EXPECT_FALSE(x.clone().is_same(x));
  EXPECT_NE(x.clone().storage(), x.storage());
}

TEST(Copy, Errors) {
  const Tensor x = zeros({4});
  expect_error([&] { x.copy_(zeros({3})); },
               "copy_: shapes [4] and [3] cannot be broadcast: sizes 4 and 3 differ, and neither is 1");
  expect_error(
      [&] {
        zeros({2, 1}).copy_(zeros({2}));
      },
      "copy_: a tensor of shape [2] does not fit into one of shape [2, 1]");
  expect_error(
      [&] {
        zeros({2}).expand({3, 2}).copy_(zeros({3, 2}));
      },
      "copy_: several elements of the written tensor share a memory location: shape [3, 2] with "
      "strides [0, 1]; clone() it first");
  expect_error([&] { x.slice(0, 1).copy_(x.slice(0, 0, 3)); },
               "copy_: the written tensor partially overlaps the one that is read; "
               "clone() one of "
               "them first");
  x.slice(0, 0, {}, 2).copy_(x.slice(0, 1, {}, 2));  // side by side
  x.copy_(x.view({4}));                              // the same elements
}

TEST(Fill, EveryDtypeAndLayout) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const test::Laid& laid : test::layouts({3, 20}, dtype)) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + laid.how);
      laid.tensor.fill_(1.5);
      const double expected = converted(1.5, dtype);
      test::for_each_index(laid.tensor.sizes(),
                           [&](const Sizes& at) { ASSERT_EQ(number(laid.tensor, at), expected); });
    }
  }
  const Tensor repeated = zeros({1}).expand({std::int64_t{1} << 60});
  repeated.fill_(2);
  EXPECT_EQ(number(repeated, {5}), 2);
  zeros({0, 3}).fill_(1);
}

TEST(Fill, RefusesWhatTheDtypeCannotHold) {
  const auto like = [](Dtype dtype) { return zeros({2}, {.dtype = dtype}); };
  expect_error([&] { like(int8).fill_(200); }, "fill_: value must be in the range of int8, not 200");
  EXPECT_THROW(like(int8).fill_(-129), TensorError);
  EXPECT_THROW(like(uint8).fill_(256), TensorError);
  EXPECT_THROW(like(int32).fill_(std::int64_t{1} << 31), TensorError);
  EXPECT_THROW(like(int64).fill_(1e30), TensorError);
  EXPECT_THROW(like(int64).fill_(NAN), TensorError);
  EXPECT_THROW(like(float16).fill_(1e6), TensorError);
  EXPECT_THROW(like(float32).fill_(1e40), TensorError);
  EXPECT_EQ(number(like(uint8).fill_(-1), {0}), 255);
  EXPECT_THROW(like(int8).fill_(127.9), TensorError);
  EXPECT_THROW(like(uint8).fill_(-1.), TensorError);
  EXPECT_EQ(number(like(int8).fill_(126.9), {0}), 126);
  EXPECT_EQ(number(like(bool_).fill_(0.5), {0}), 1);
  EXPECT_EQ(number(like(float16).fill_(std::numeric_limits<double>::infinity()), {0}),
            std::numeric_limits<double>::infinity());
}

TEST(Fill, Diagonals) {
  const Tensor tall = zeros({4, 2}).fill_diagonal_(1);
  EXPECT_EQ(number(tall, {1, 1}), 1);
  EXPECT_EQ(number(tall, {1, 0}) + number(tall, {3, 1}), 0);
  const Tensor cube = zeros({2, 2, 2}).fill_diagonal_(3);
  EXPECT_EQ(number(cube, {1, 1, 1}), 3);
  EXPECT_EQ(number(cube, {1, 1, 0}), 0);
  EXPECT_THROW(zeros({3}).fill_diagonal_(1), TensorError);
  EXPECT_THROW(zeros({2, 2, 3}).fill_diagonal_(1), TensorError);
}

TEST(InPlace, AssigningToAViewWritesThroughIt) {
  const Tensor x = zeros({2, 2});
  x[0] = 1;
  x[1] = tensor({2., 3});
  EXPECT_EQ(number(x, {0, 1}), 1);
  EXPECT_EQ(number(x, {1, 1}), 3);
  x[0] = x[1];
  EXPECT_EQ(number(x, {0, 0}), 2);
}

TEST(InPlace, BumpsTheVersionAndCountsBytes) {
  const Tensor x = zeros({4});
  const std::uint64_t before = x.storage().version();
  x.fill_(1);
  EXPECT_EQ(x.storage().version(), before + 1);
  const CountScope scope;
  x.copy_(ones({1}));
  EXPECT_EQ(x.storage().version(), before + 2);
  EXPECT_EQ(scope.counted().bytes, 4 + 16 + 4);  // ones writes 4; the copy writes 16 and reads 4
}

}  // namespace
}  // namespace lectern
