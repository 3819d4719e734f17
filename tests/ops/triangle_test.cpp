#include "ops/triangle.h"

#include <limits>

#include <gtest/gtest.h>

#include "ops/expect_error.h"
#include "ops/tensors.h"

namespace lectern {
namespace {

using test::expect_error;
using test::number;

TEST(Triangle, KeepsOneSideOfADiagonal) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  for (const Dtype dtype : test::kAllDtypes) {
    for (const Sizes& sizes : std::initializer_list<Sizes>{
             {3, 3}, {4, 2}, {2, 5}, {1, 1}, {0, 3}, {3, 0}, {2, 3, 4}, {2, 0, 3, 3}, {3, 1, 2, 2}}) {
      for (const test::Laid& laid : test::layouts(sizes, dtype)) {
        for (const std::int64_t diagonal : {0L, 1L, -1L, 3L, -4L, 100L, kFar, -kFar - 1}) {
          SCOPED_TRACE(std::string(name(dtype)) + " " + to_string(sizes) + " " + laid.how + " " +
                       std::to_string(diagonal));
          const Tensor& x = laid.tensor;
          const Tensor before = x.clone();
          const Tensor upper = triu(x, diagonal);
          const Tensor lower = tril(x, diagonal);
          ASSERT_EQ(upper.sizes(), sizes);
          ASSERT_EQ(upper.dtype(), dtype);
          ASSERT_TRUE(upper.is_contiguous() && lower.is_contiguous());
          test::for_each_index(sizes, [&](const Sizes& index) {
            const std::int64_t above = index[sizes.size() - 1] - index[sizes.size() - 2];
            ASSERT_EQ(number(upper, index), above >= diagonal ? number(before, index) : 0);
            ASSERT_EQ(number(lower, index), above <= diagonal ? number(before, index) : 0);
            ASSERT_EQ(number(x, index), number(before, index));
          });
        }
      }
    }
  }
}

TEST(Triangle, LargeMatrices) {
  const Tensor x = ones({600, 700}).triu(5);
  std::int64_t kept = 0;
  test::for_each_index(x.sizes(), [&](const Sizes& index) { kept += number(x, index) == 1; });
  EXPECT_EQ(kept, (695 + 96) * 600 / 2);
}

TEST(Triangle, ListsPositions) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t rows : {0, 1, 3, 5}) {
    for (const std::int64_t columns : {0, 1, 4, 7}) {
      for (const std::int64_t offset : {0L, 1L, -1L, 3L, -4L, 6L, kFar, -kFar - 1}) {
        SCOPED_TRACE(std::to_string(rows) + " " + std::to_string(columns) + " " + std::to_string(offset));
        const Tensor all = ones({rows, columns});
        EXPECT_TRUE(tril_indices(rows, columns, offset).equal(all.tril(offset).nonzero().t()));
        EXPECT_TRUE(triu_indices(rows, columns, offset).equal(all.triu(offset).nonzero().t()));
      }
    }
  }
}

TEST(Triangle, ListsPositionsOfHugeMatrices) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  EXPECT_TRUE(triu_indices(kHuge, kHuge, kHuge - 1).equal(tensor({{0}, {kHuge - 1}})));
  EXPECT_TRUE(tril_indices(kHuge, kHuge, 1 - kHuge).equal(tensor({{kHuge - 1}, {0}})));
  EXPECT_EQ(tril_indices(kHuge, 0).numel(), 0);
  EXPECT_THROW(tril_indices(kHuge, kHuge), TensorError);
  EXPECT_THROW(triu_indices(kHuge, kHuge), TensorError);
  expect_error([] { tril_indices(-1, 2); },
               "tril_indices: the numbers of rows and columns must be from 0 to 2^60, not -1 and 2");
}

TEST(Triangle, NeedsMatrices) {
  expect_error([] { triu(ones({3})); },
               "triu: the tensor must be of two dimensions or more, not of shape [3]");
  expect_error([] { tril(ones({})); }, "tril: the tensor must be of two dimensions or more, not of shape []");
}

TEST(FillDiagonal, WritesThroughViews) {
  for (const Sizes& sizes : std::initializer_list<Sizes>{{3, 3}, {4, 2}, {2, 5}, {0, 2}, {2, 2, 2}, {1, 1}}) {
    const Tensor x = zeros(sizes);
    Sizes order = sizes;
    for (std::size_t d = 0; d < sizes.size(); ++d) order[d] = static_cast<std::int64_t>(sizes.size() - 1 - d);
    const Tensor view = x.permute(order);
    const std::uint64_t version = x.storage().version();
    view.fill_diagonal_(7);
    EXPECT_GT(x.storage().version(), version);
    test::for_each_index(sizes, [&](const Sizes& index) {
      const bool diagonal =
          std::all_of(index.begin(), index.end(), [&](std::int64_t i) { return i == index[0]; });
      EXPECT_EQ(number(x, index), diagonal ? 7 : 0) << to_string(index);
    });
  }
}

TEST(FillDiagonal, RefusesWrongShapes) {
  expect_error([] { ones({3}).fill_diagonal_(1); },
               "fill_diagonal_: the tensor must be of 2 dimensions or more, not of shape [3]");
  expect_error(
      [] {
        ones({2, 3, 2}).fill_diagonal_(1);
      },
      "fill_diagonal_: more than two dimensions must be of one size, not [2, 3, 2]");
}

}  // namespace
}  // namespace lectern
