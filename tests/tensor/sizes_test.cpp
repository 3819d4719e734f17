#include "tensor/sizes.h"

#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 40;

TEST(Sizes, AreAList) {
  Sizes sizes = {2, 3};
  sizes.push_back(4);
  sizes.insert(0, 1);
  sizes.insert(4, 5);
  EXPECT_EQ(sizes, Sizes({1, 2, 3, 4, 5}));
  sizes.erase(0);
  sizes.erase(3);
  EXPECT_EQ(sizes, Sizes({2, 3, 4}));
  EXPECT_EQ(to_string(sizes), "[2, 3, 4]");
  EXPECT_EQ(to_string(Sizes()), "[]");
  EXPECT_NE(sizes, Sizes({2, 3}));
  EXPECT_NO_THROW(Sizes::filled(kMaxDims, 1));
  EXPECT_THROW(Sizes::filled(kMaxDims + 1, 1), TensorError);
}

TEST(Sizes, NumelIsChecked) {
  EXPECT_EQ(checked_numel("zeros", {}), 1);
  EXPECT_EQ(checked_numel("zeros", {2, 3}), 6);
  EXPECT_EQ(checked_numel("zeros", {kHuge, 0, kHuge}), 0);
  EXPECT_THROW(checked_numel("zeros", {kHuge, kHuge}), TensorError);
  EXPECT_THROW(checked_numel("zeros", {0, -1}), TensorError);
}

TEST(Sizes, StridesOfRowMajorOrder) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), Sizes({12, 4, 1}));
  EXPECT_EQ(contiguous_strides({2, 0, 4}), Sizes({4, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), Sizes());
  EXPECT_EQ(contiguous_strides({kHuge, kHuge, 0, kHuge}).size(), 4u);
}

TEST(Sizes, Contiguity) {
  EXPECT_TRUE(is_contiguous({}, {}));
  EXPECT_TRUE(is_contiguous({2, 3}, {3, 1}));
  EXPECT_FALSE(is_contiguous({2, 3}, {1, 2}));
  EXPECT_TRUE(is_contiguous({2, 1, 3}, {3, 77, 1}));
  EXPECT_TRUE(is_contiguous({2, 0}, {5, 7}));
  EXPECT_FALSE(is_contiguous({2, 3}, {4, 1}));
  EXPECT_TRUE(is_dense({2, 3}, {1, 2}));
  EXPECT_TRUE(is_dense({2, 1, 3}, {1, 99, 2}));
  EXPECT_FALSE(is_dense({2, 3}, {4, 1}));
  EXPECT_FALSE(is_dense({2, 3}, {0, 1}));
}

TEST(Sizes, OfNothingMayMultiplyToAnything) {
  for (const Sizes& sizes : {Sizes{0, kHuge, kHuge}, Sizes{kHuge, kHuge, 0}, Sizes{kHuge, 0, kHuge, kHuge}}) {
    EXPECT_TRUE(is_contiguous(sizes, contiguous_strides(sizes)));
    EXPECT_EQ(extent(sizes, contiguous_strides(sizes)), 0);
    const Tensor none = empty(sizes);
    EXPECT_EQ(none.numel(), 0);
    EXPECT_EQ(none.detach().numel(), 0);
  }
  EXPECT_EQ(extent({kHuge, kHuge}, {kHuge, 1}), std::nullopt);
  EXPECT_EQ(extent({2}, {1}, std::numeric_limits<std::int64_t>::max()), std::nullopt);
}

TEST(Sizes, Broadcast) {
  EXPECT_EQ(broadcast_sizes("add", {2, 3}, {3}), Sizes({2, 3}));
  EXPECT_EQ(broadcast_sizes("add", {1}, {4, 1, 5}), Sizes({4, 1, 5}));
  EXPECT_EQ(broadcast_sizes("add", {4, 1}, {1, 0}), Sizes({4, 0}));
  EXPECT_EQ(broadcast_sizes("add", {}, {}), Sizes());
  try {
    broadcast_sizes("add", {2, 3}, {2, 4});
    FAIL();
  } catch (const TensorError& error) {
    EXPECT_STREQ(error.what(),
                 "add: shapes [2, 3] and [2, 4] cannot be broadcast: sizes 3 and 4 differ, and neither is 1");
  }
  EXPECT_THROW(broadcast_sizes("add", {0}, {2}), TensorError);
  EXPECT_EQ(expanded_strides({3, 1}, {1, 1}, {2, 3, 4}), Sizes({0, 1, 0}));
}

TEST(Sizes, DimensionsCountFromTheEndToo) {
  EXPECT_EQ(wrap_dim("sum", -1, 3), 2u);
  EXPECT_EQ(wrap_dim("sum", 0, 0), 0u);
  EXPECT_EQ(wrap_dim("sum", -1, 0), 0u);
  EXPECT_THROW(wrap_dim("sum", 3, 3), TensorError);
  EXPECT_THROW(wrap_dim("sum", -4, 3), TensorError);
  EXPECT_THROW(wrap_dim("sum", 1, 0), TensorError);
}

}  // namespace
}  // namespace lectern
