#include <numeric>

#include <gtest/gtest.h>

#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::counting;
using test::error_of;

std::vector<std::int64_t> elements_in_order(const Tensor& x) {
  std::vector<std::int64_t> found;
  if (x.dim() == 0) return {x.item<std::int64_t>()};
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    for (const std::int64_t n : elements_in_order(x[i])) found.push_back(n);
  }
  return found;
}

using Numbers = std::vector<std::int64_t>;

TEST(Views, ShareStorage) {
  const Tensor x = counting({2, 3});
  for (const Tensor& y : {x[1], x.select(1, 1), x.view({3, 2}), x.t(), x.unsqueeze(0), x.flatten(),
                          x.expand({4, 2, 3}), x.diagonal(), x.detach(), x.as_strided({2}, {2}, 1)}) {
    EXPECT_EQ(y.storage(), x.storage());
    EXPECT_EQ(y.storage().id(), x.storage().id());
  }
  const std::uint64_t version = x.storage().version();
  x[1][2] = 77;
  EXPECT_EQ(elements_in_order(x.t()), (Numbers{0, 3, 1, 4, 2, 77}));
  EXPECT_EQ(x.storage().version(), version + 1);
}

TEST(Views, Select) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(elements_in_order(x[-1]), (Numbers{3, 4, 5}));
  EXPECT_EQ(elements_in_order(x.select(1, 2)), (Numbers{2, 5}));
  EXPECT_EQ(x[1][2].dim(), 0);
  EXPECT_EQ(error_of([&] { x[2]; }), "select: index 2 is out of range for dimension 0 of size 2");
  EXPECT_NE(error_of([&] { x[0][0][0]; }).find("use item()"), std::string::npos);
}

TEST(Views, Slices) {
  const Tensor x = counting({10});
  EXPECT_EQ(elements_in_order(x.slice(0, 2, 5)), (Numbers{2, 3, 4}));
  EXPECT_EQ(elements_in_order(x.slice(0, {}, {}, 4)), (Numbers{0, 4, 8}));
  EXPECT_EQ(elements_in_order(x.slice(0, -3)), (Numbers{7, 8, 9}));
  EXPECT_EQ(elements_in_order(x.slice(0, -100, 100, 9)), (Numbers{0, 9}));
  EXPECT_EQ(x.slice(0, 5, 2).numel(), 0);
  EXPECT_EQ(x.slice(0, 100).numel(), 0);
  EXPECT_EQ(x.slice(0, 0, 10, std::numeric_limits<std::int64_t>::max()).numel(), 1);
  EXPECT_EQ(x.slice(0, std::numeric_limits<std::int64_t>::min()).numel(), 10);
  EXPECT_EQ(error_of([&] { x.slice(0, 0, 5, 0); }), "slice: step must be more than 0, not 0");
  EXPECT_EQ(elements_in_order(x.narrow(0, -4, 2)), (Numbers{6, 7}));
  EXPECT_EQ(x.narrow(0, 10, 0).numel(), 0);
  EXPECT_NE(error_of([&] { x.narrow(0, 8, 3); }), "no error");
}

TEST(Views, OfNoElementHaveNoAddress) {
  const Tensor x = zeros({3, 0});
  EXPECT_EQ(x.data_ptr(), nullptr);
  EXPECT_EQ(x.slice(0, 2).data_ptr(), nullptr);
  EXPECT_EQ(zeros({3, 2}).slice(0, 3).data_ptr(), nullptr);
}

TEST(Views, SlicesWithEverLargerStepsStayDefined) {
  Tensor one = zeros({4, 1}), none = zeros({4, 0});
  for (int i = 0; i < 70; ++i) {
    one = one.slice(1, 0, 1, 3);
    none = none.slice(1, 0, {}, 3).slice(0, 0, {}, 1);
  }
  EXPECT_EQ(one.sizes(), (Sizes{4, 1}));
  EXPECT_EQ(one.clone()[3].item<double>(), 0);
  EXPECT_EQ(none.clone().sizes(), (Sizes{4, 0}));
}

TEST(Views, ViewNeedsStridesThatExist) {
  const Tensor x = counting({4, 6});
  EXPECT_EQ(x.view({-1}).sizes(), Sizes({24}));
  EXPECT_EQ(x.view({2, -1, 3}).sizes(), Sizes({2, 4, 3}));
  EXPECT_EQ(x.t().view({2, 3, 4}).strides(), Sizes({3, 1, 6}));
  EXPECT_EQ(x.slice(1, 0, 4).view({4, 2, 2}).strides(), Sizes({6, 2, 1}));
  EXPECT_EQ(x.slice(1, 0, 6, 2).view({12}).strides(), Sizes({2}));
  EXPECT_EQ(x.view({4, 1, 6, 1}).squeeze().view({24}).sizes(), Sizes({24}));
  EXPECT_EQ(x[0][0].view({1, 1}).sizes(), Sizes({1, 1}));
  EXPECT_EQ(x.slice(0, 0, 1).view({2, 3}).sizes(), Sizes({2, 3}));
  EXPECT_EQ(counting({0, 3}).view({7, 0}).sizes(), Sizes({7, 0}));
  EXPECT_EQ(
      error_of([&] { x.t().view({24}); }),
      "view: shape [6, 4] with strides [1, 6] cannot be seen as [24] without copying; use reshape(), or "
      "contiguous() before view()");
  EXPECT_EQ(error_of([&] { x.view({5, 5}); }), "view: shape [4, 6] has 24 elements and cannot become [5, 5]");
  EXPECT_EQ(error_of([&] { ones({1}).view({2}); }), "view: shape [1] has 1 element and cannot become [2]");
  EXPECT_EQ(error_of([&] {
              ones({3}).permute({1, 0});
            }),
            "permute: dims must be an order of the 1 dimension, not [1, 0]");
  EXPECT_NE(error_of([&] { x.view({-1, -1}); }).find("only one"), std::string::npos);
  EXPECT_NE(error_of([&] { x.view({-1, 7}); }), "no error");
  EXPECT_NE(error_of([&] { counting({0}).view({-1, 0}); }), "no error");
  EXPECT_NE(error_of([&] { x.view({std::int64_t{1} << 40, std::int64_t{1} << 40}); }), "no error");
  EXPECT_NE(error_of([&] { x.view({-24}); }), "no error");
}

TEST(Views, ReshapeCopiesOnlyWhereItMust) {
  const Tensor x = counting({4, 6});
  EXPECT_EQ(x.reshape({8, 3}).storage(), x.storage());
  const Tensor copied = x.t().reshape({24});
  EXPECT_NE(copied.storage(), x.storage());
  EXPECT_EQ(elements_in_order(copied), elements_in_order(x.t()));
}

TEST(Views, OrderOfDimensions) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_EQ(x.permute({2, 0, -2}).sizes(), Sizes({4, 2, 3}));
  EXPECT_EQ(x.permute({2, 0, 1})[3][1][2].item<std::int64_t>(), 23);
  EXPECT_EQ(x.mT().sizes(), Sizes({2, 4, 3}));
  EXPECT_NE(error_of([&] { x.permute({0, 1}); }), "no error");
  EXPECT_NE(error_of([&] { x.permute({0, 1, 1}); }), "no error");
  EXPECT_NE(error_of([&] { x.t(); }), "no error");
}

TEST(Views, SizesOfOne) {
  const Tensor x = counting({1, 3, 1});
  EXPECT_EQ(x.squeeze().sizes(), Sizes({3}));
  EXPECT_EQ(x.squeeze(0).sizes(), Sizes({3, 1}));
  EXPECT_EQ(x.squeeze(1).sizes(), x.sizes());
  EXPECT_EQ(x.unsqueeze(-1).sizes(), Sizes({1, 3, 1, 1}));
  EXPECT_EQ(x.expand({2, -1, 5}).strides()[0], 0);
  EXPECT_EQ(x.expand({7, 1, 3, 2}).sizes(), Sizes({7, 1, 3, 2}));
  EXPECT_NE(error_of([&] { x.expand({2, 4, 1}); }).find("only sizes of 1"), std::string::npos);
  EXPECT_NE(error_of([&] { x.expand({3}); }), "no error");
  EXPECT_NE(error_of([&] { x.expand({-1, 1, 3, 1}); }), "no error");
  EXPECT_NE(error_of([&] { x.expand({std::int64_t{1} << 62, 3, 4}); }), "no error");
}

TEST(Views, FlattenAndUnflatten) {
  const Tensor x = counting({2, 3, 4});
  EXPECT_EQ(x.flatten(1).sizes(), Sizes({2, 12}));
  EXPECT_EQ(x.flatten(0, 1).sizes(), Sizes({6, 4}));
  EXPECT_EQ(x[0][0][0].flatten().sizes(), Sizes({1}));
  EXPECT_EQ(x.transpose(0, 2).unflatten(0, {2, -1}).strides(), Sizes({2, 1, 4, 12}));
  EXPECT_NE(error_of([&] { x.flatten(2, 1); }), "no error");
  EXPECT_NE(error_of([&] { x.unflatten(2, {3, 2}); }), "no error");
}

TEST(Views, Diagonals) {
  const Tensor x = counting({3, 4});
  EXPECT_EQ(elements_in_order(x.diagonal()), (Numbers{0, 5, 10}));
  EXPECT_EQ(elements_in_order(x.diagonal(1)), (Numbers{1, 6, 11}));
  EXPECT_EQ(elements_in_order(x.diagonal(-2)), (Numbers{8}));
  EXPECT_EQ(elements_in_order(x.diagonal(3)), (Numbers{3}));
  for (const std::int64_t far :
       {4L, -3L, 100L, std::numeric_limits<long>::max(), std::numeric_limits<long>::min()}) {
    EXPECT_EQ(x.diagonal(far).numel(), 0) << far;
  }
  EXPECT_EQ(counting({2, 3, 4}).diagonal(0, 0, 2).sizes(), Sizes({3, 2}));
  EXPECT_NE(error_of([&] { x.diagonal(0, 1, -1); }), "no error");
}

TEST(Views, AsStridedStaysInside) {
  const Tensor x = counting({10});
  EXPECT_EQ(elements_in_order(x.as_strided({2, 3}, {1, 1})), (Numbers{0, 1, 2, 1, 2, 3}));
  EXPECT_EQ(x.as_strided({3}, {0}).numel(), 3);
  EXPECT_EQ(x.as_strided({0}, {1}, 10).numel(), 0);
  EXPECT_NE(error_of([&] { x.as_strided({4}, {4}); }).find("past the end"), std::string::npos);
  EXPECT_NE(error_of([&] { x.as_strided({1}, {1}, 10); }), "no error");
  EXPECT_NE(error_of([&] { x.as_strided({1}, {1}, -1); }), "no error");
  EXPECT_NE(error_of([&] { x.as_strided({2}, {-1}, 1); }), "no error");
  EXPECT_NE(error_of([&] { x.as_strided({2}, {1, 1}); }), "no error");
  EXPECT_NE(error_of([&] { x.as_strided({3}, {std::int64_t{1} << 62}); }), "no error");
}

TEST(Views, OfManyElementsByStride) {
  const std::int64_t many = std::int64_t{1} << 33;
  const Tensor x = ones({1}).expand({many});
  EXPECT_EQ(x.numel(), many);
  EXPECT_EQ(x[many - 1].item<float>(), 1);
  EXPECT_EQ(x.slice(0, 0, many, 2).numel(), many / 2);
}

TEST(Views, AsAnotherDtype) {
  const Tensor x = ones({2, 4});
  EXPECT_EQ(x.view(int32)[0][0].item<std::int64_t>(), 0x3f800000);
  EXPECT_EQ(x.view(bfloat16).sizes(), Sizes({2, 8}));
  EXPECT_EQ(x.view(float64).sizes(), Sizes({2, 2}));
  EXPECT_NE(error_of([&] { x.t().view(uint8); }), "no error");
  EXPECT_NE(error_of([&] { ones({2, 3}).view(float64); }), "no error");
  EXPECT_NE(error_of([&] { x[0][0].view(uint8); }), "no error");
}

TEST(Views, BytesThatNeedNotBeBoolAreNotSeenAsBool) {
  EXPECT_EQ(error_of([] { arange(3).to(uint8).view(bool_); }),
            "view: elements of uint8 cannot be seen as bool: other bytes than 0 and 1 are no bool; use ne(0) "
            "or to(bool_)");
  const Tensor x = tensor({true, false});
  EXPECT_TRUE(x.view(uint8).view(uint8).equal(tensor({1, 0}, {.dtype = uint8})));
  EXPECT_TRUE(x.view(bool_).equal(x));
}

TEST(Views, UndefinedTensorsSaySo) {
  EXPECT_FALSE(Tensor().defined());
  EXPECT_NE(error_of([] { Tensor().sizes(); }).find("undefined"), std::string::npos);
}

}  // namespace
}  // namespace lectern
