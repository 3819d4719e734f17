#include "ops/einops/pack.h"

#include <gtest/gtest.h>

#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;

// The example of einops' documentation of pack.
TEST(Pack, JoinsWhatTheStarStandsFor) {
  const Tensor a = test::uniform({2, 3, 5}, float32), b = test::uniform({2, 3, 7, 5}, float32, 2),
               c = test::uniform({2, 3, 7, 9, 5}, float32, 3);
  const Packed packed = pack({a, b, c}, "i j * k");
  EXPECT_EQ(packed.tensor.sizes(), (Sizes{2, 3, 71, 5}));
  EXPECT_EQ(packed.shapes, (std::vector<Sizes>{{}, {7}, {7, 9}}));
  EXPECT_TRUE(packed.tensor.select(2, 0).equal(a));
  EXPECT_TRUE(packed.tensor.narrow(2, 1, 7).equal(b));
  EXPECT_TRUE(packed.tensor.narrow(2, 8, 63).equal(c.reshape({2, 3, 63, 5})));
  const std::vector<Tensor> parts = unpack(packed.tensor, packed.shapes, "i j * k");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_TRUE(parts[0].equal(a) && parts[1].equal(b) && parts[2].equal(c));
}

TEST(Pack, TheStarMayStandAlone) {
  const Tensor scalar = tensor(2.5), matrix = test::uniform({2, 3}, float32);
  const Packed packed = pack({scalar, matrix}, "*");
  EXPECT_EQ(packed.tensor.sizes(), (Sizes{7}));
  EXPECT_TRUE(unpack(packed.tensor, packed.shapes, "*")[1].equal(matrix));
}

TEST(Pack, UnpackInfersOneSize) {
  const Tensor x = arange(2 * 12).view({2, 12});
  const std::vector<Tensor> parts = unpack(x, {{2}, {-1, 3}, {1}}, "batch *");
  EXPECT_EQ(parts[1].sizes(), (Sizes{2, 3, 3}));
  EXPECT_TRUE(parts[2].equal(x.narrow(1, 11, 1)));
  EXPECT_EQ(parts[0].data_ptr(), x.data_ptr());
}

TEST(Pack, GradientsGoToTheParts) {
  const Tensor a = test::uniform({2, 3}, float32).requires_grad_(),
               b = test::uniform({2}, float32).requires_grad_();
  const Packed packed = pack({a, b}, "n *");
  unpack(packed.tensor * 2, packed.shapes, "n *")[0].sum().backward();
  EXPECT_TRUE(a.grad().equal(full({2, 3}, 2.0)));
  EXPECT_TRUE(b.grad().equal(zeros({2})));
}

TEST(Pack, RefusesWhatDoesNotFit) {
  const Tensor a = ones({2, 3}), b = ones({3, 3});
  expect_error([&] { pack({a}, "n m"); },
               "pack: the pattern needs one `*`, between blanks; the pattern is `n m`");
  expect_error([&] { pack({a}, "(n m) *"); },
               "pack: beside `*` the pattern has names only; the pattern is `(n m) *`");
  expect_error([] { pack({}, "n *"); }, "pack: there is no tensor; the pattern is `n *`");
  expect_error(
      [&] {
        pack({a, b}, "n *");
      },
      "pack: dimension `n` is 2 in the first tensor; the pattern is `n *`, the shape [3, 3]");
  expect_error(
      [&] { pack({a}, "a b c *"); },
      "pack: the tensor has fewer dimensions than the pattern names; the pattern is `a b c *`, the shape "
      "[2, 3]");
  expect_error(
      [&] { unpack(a, {{2}}, "n *"); },
      "unpack: the shapes have 2 elements, the packed dimension 3; the pattern is `n *`, the shape [2, 3]");
  expect_error(
      [&] {
        unpack(a, {{-1}, {-1}}, "n *");
      },
      "unpack: more than one size is -1; the pattern is `n *`, the shape [2, 3]");
  expect_error(
      [&] {
        unpack(a, {{2, -1}}, "n *");
      },
      "unpack: no size for -1 makes 3 elements; the pattern is `n *`, the shape [2, 3]");
}

TEST(ParseShape, NamesSizes) {
  const Tensor x = ones({2, 3, 4, 5});
  EXPECT_EQ(parse_shape(x, "batch _ h w"), (einops::AxisSizes{{"batch", 2}, {"h", 4}, {"w", 5}}));
  EXPECT_EQ(parse_shape(x, "b ... w"), (einops::AxisSizes{{"b", 2}, {"w", 5}}));
  EXPECT_EQ(parse_shape(ones({}), ""), einops::AxisSizes{});
  expect_error(
      [&] { parse_shape(x, "a b"); },
      "parse_shape: the tensor has another number of dimensions than the pattern; the pattern is `a b`, the "
      "shape [2, 3, 4, 5]");
  expect_error([&] { parse_shape(x, "a a _ _"); },
               "parse_shape: `a` stands there twice; the pattern is `a a _ _`, the shape [2, 3, 4, 5]");
  expect_error([&] { parse_shape(x, "a 3 _ _"); },
               "parse_shape: `3` is no name; the pattern is `a 3 _ _`, the shape [2, 3, 4, 5]");
}

}  // namespace
}  // namespace lectern
