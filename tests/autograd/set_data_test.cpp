#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "autograd/leaf.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::leaf;

TEST(SetData, EveryHandleSeesTheNewNumbers) {
  const Tensor x = leaf({1, 2, 3});
  const std::vector<Tensor> held = {x};
  const Tensor row = x.detach();
  const Tensor data = tensor({{4., 5}, {6, 7}}, {.dtype = float64});
  x.set_data(data.t());
  EXPECT_TRUE(held[0].is_same(x));
  EXPECT_TRUE(held[0].equal(data.t()));
  EXPECT_EQ(held[0].dtype(), float64);
  EXPECT_EQ(held[0].storage(), data.storage());
  EXPECT_FALSE(held[0].is_contiguous());
  EXPECT_TRUE(held[0].requires_grad());
  EXPECT_TRUE(row.equal(tensor({1., 2, 3})));
}

TEST(SetData, GradientsFollow) {
  const Tensor x = leaf({1, 2, 3});
  x.sum().backward();
  x.set_data(ones({2, 2}, {.dtype = float64}).t());
  EXPECT_EQ(x.grad().numel(), 3);  // it stays
  x.mutable_grad() = Tensor();
  (x * 3).sum().backward();
  EXPECT_TRUE(x.grad().equal(full({2, 2}, 3, {.dtype = float64})));
  EXPECT_EQ(x.grad().strides(), x.strides());
}

TEST(SetData, AGraphFromBeforeKeepsToTheOldNumbers) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = x.square().sum();
  x.set_data(tensor({10., 20, 30}));
  y.backward();
  EXPECT_TRUE(x.grad().equal(tensor({2., 4, 6})));
}

TEST(SetData, AViewBecomesATensorOfItsOwn) {
  const Tensor base = zeros({4});
  const Tensor view = base.view({2, 2});
  view.set_data(ones({3}));
  base.requires_grad_();
  EXPECT_FALSE(view.requires_grad());
}

TEST(SetData, Refuses) {
  const Tensor x = leaf({1, 2, 3});
  expect_error([&] { (x * 2).set_data(x); },
               "set_data: the tensor is not a leaf, and only the data of a leaf can be replaced");
  expect_error([&] { x.set_data(zeros({3}, {.dtype = int64})); },
               "set_data: the data of a tensor that requires a gradient must be floating, not int64");
  EXPECT_TRUE(x.equal(tensor({1., 2, 3})));
}

}  // namespace
}  // namespace lectern
