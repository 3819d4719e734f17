// for (Tensor row : x), as PyTorch iterates.

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

static_assert(std::forward_iterator<Tensor::Iterator>);

TEST(Iteration, IsOverTheFirstDimension) {
  const Tensor x = arange(6).view({3, 2});
  std::vector<Tensor> rows;
  for (Tensor row : x) rows.push_back(row);
  ASSERT_EQ(rows.size(), 3U);
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_TRUE(rows[static_cast<std::size_t>(i)].equal(x[i]));
  std::int64_t sum = 0;
  for (const Tensor& number : arange(4)) {
    EXPECT_EQ(number.dim(), 0);
    sum += number.item();
  }
  EXPECT_EQ(sum, 6);
}

TEST(Iteration, GivesViews) {
  const Tensor x = zeros({2, 3});
  int i = 0;
  for (const Tensor row : x) row.fill_(++i);
  EXPECT_TRUE(x.equal(tensor({{1., 1, 1}, {2, 2, 2}})));
  for (const Tensor column : x.t()) EXPECT_EQ(column.strides(), Sizes({3}));
}

TEST(Iteration, IsRecordedForGradients) {
  const Tensor x = tensor({1., 2, 3}, {.requires_grad = true});
  Tensor sum = zeros({});
  double factor = 0;
  for (const Tensor& number : x) sum = sum + ++factor * number;
  sum.backward();
  EXPECT_TRUE(x.grad().equal(tensor({1., 2, 3})));
}

TEST(Iteration, OfNothingIsEmpty) {
  for (const Tensor& row : zeros({0, 3})) FAIL() << row.numel();
  int count = 0;
  for (const Tensor& row : zeros({2, 0})) count += static_cast<int>(row.numel()) + 1;
  EXPECT_EQ(count, 2);
}

TEST(Iteration, NeedsADimension) {
  try {
    for (const Tensor& row : tensor(1.)) FAIL() << row.numel();
    FAIL();
  } catch (const TensorError& error) {
    EXPECT_NE(std::string(error.what()).find("iteration over a 0-d tensor"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(Tensor().begin(), TensorError);
}

TEST(Iteration, WorksWithAlgorithms) {
  const Tensor x = tensor({3, 1, 2});
  const std::vector<Tensor> all(x.begin(), x.end());
  EXPECT_EQ(all.size(), 3U);
  const auto found = std::find_if(x.begin(), x.end(), [](const Tensor& n) { return n.item() == 1; });
  EXPECT_EQ(std::distance(x.begin(), found), 1);
}

}  // namespace
}  // namespace lectern
