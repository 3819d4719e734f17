// Elements further away than 32 bits count, in memory of which only a few pages are ever touched, and sizes
// that no 64 bits hold. On the CPU.
#include <functional>
#include <limits>
#include <utility>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/tensor_error.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/extremum.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/join.h"
#include "ops/nonzero.h"
#include "ops/reductions.h"
#include "ops/repeat.h"
#include "ops/sort.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

constexpr TensorOptions kBytes{.dtype = uint8, .device = cpu};
constexpr std::int64_t kRow = (std::int64_t{1} << 32) + 8;
constexpr std::int64_t kFar = kRow - 3;  ///< what 32 bits take for element 5

class LargeIndex : public testing::Test {
 protected:
  /// Two rows of 4 GiB, all 0.
  void SetUp() override {
    constexpr std::size_t kSize = 2 * static_cast<std::size_t>(kRow);
    void* const data =
        mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) GTEST_SKIP() << "there is no address space for 8 GiB";
    x_ = from_blob(
        data, {2, kRow}, [data] { munmap(data, kSize); }, kBytes);
    x_[1][kFar] = 7;
  }

  /// The last 4 elements of both rows.
  Tensor ends() const { return x_.narrow(1, kFar - 1, 4); }

  Tensor x_;
  Tensor far_ = tensor({kFar, std::int64_t{5}}, {.device = cpu});
};

Tensor bytes(const NestedList& numbers) {
  return tensor(numbers, kBytes);
}

TEST_F(LargeIndex, ViewsReachIt) {
  EXPECT_EQ(x_.select(1, kFar)[1].item<int>(), 7);
  EXPECT_EQ(x_[1][5].item<int>(), 0);
  EXPECT_EQ(x_[0][kFar].item<int>(), 0);
  EXPECT_EQ(x_.view({2 * kRow})[kRow + kFar].item<int>(), 7);
  EXPECT_EQ(x_.t()[kFar][1].item<int>(), 7);
  EXPECT_EQ(x_.slice(1, 5, {}, kFar - 5).select(1, 1)[1].item<int>(), 7);
  EXPECT_TRUE(ends().equal(bytes({{0, 0, 0, 0}, {0, 7, 0, 0}})));
}

TEST_F(LargeIndex, ElementwiseOperationsAndCopiesWalkThere) {
  EXPECT_TRUE((ends() + ends()).equal(bytes({{0, 0, 0, 0}, {0, 14, 0, 0}})));
  EXPECT_TRUE(ends().t().contiguous().equal(bytes({{0, 0}, {0, 7}, {0, 0}, {0, 0}})));
  ends().add_(bytes({1, 2, 3, 4}));
  EXPECT_TRUE(ends().equal(bytes({{1, 2, 3, 4}, {1, 9, 3, 4}})));
  EXPECT_TRUE(x_.narrow(1, 4, 4).equal(zeros({2, 4}, kBytes)));
  ends()[0].copy_(ends()[1]);
  EXPECT_TRUE(ends()[0].equal(bytes({1, 9, 3, 4})));
}

TEST_F(LargeIndex, ReductionsAndSortsWalkThere) {
  EXPECT_EQ(ends().sum().item<std::int64_t>(), 7);
  EXPECT_TRUE(ends().t().sum({0}).equal(tensor({0, 7}, {.device = cpu})));
  EXPECT_EQ(ends().max().item<int>(), 7);
  EXPECT_EQ(argmax(x_.as_strided({2, 2}, {kRow, kFar - 5}, 5)).item<int>(), 3);
  EXPECT_TRUE(sort(ends(), 0, true).values[0].equal(bytes({0, 7, 0, 0})));
  EXPECT_TRUE(nonzero(ends()).equal(tensor({{1, 1}}, {.device = cpu})));
}

TEST_F(LargeIndex, IndicesLeadThere) {
  EXPECT_TRUE(x_.index({1, far_}).equal(bytes({7, 0})));
  EXPECT_TRUE(x_.index({tensor({0, 1}, {.device = cpu}), far_.slice(0, 0, 1)}).equal(bytes({0, 7})));
  EXPECT_TRUE(index_select(x_, 1, far_).equal(bytes({{0, 0}, {7, 0}})));
  EXPECT_TRUE(gather(x_, 1, far_.expand({2, 2})).equal(bytes({{0, 0}, {7, 0}})));
  EXPECT_TRUE(embedding(far_, x_.t()).equal(bytes({{0, 7}, {0, 0}})));
  x_.index_put_({0, far_}, bytes({3, 4}));
  EXPECT_EQ(x_[0][kFar].item<int>(), 3);
  EXPECT_EQ(x_[0][5].item<int>(), 4);
  x_.scatter_add_(1, far_.slice(0, 0, 1).expand({2, 1}), bytes({{10}, {20}}));
  EXPECT_TRUE(x_.select(1, kFar).equal(bytes({13, 27})));
  EXPECT_TRUE(x_.select(1, 5).equal(bytes({4, 0})));
}

TEST(LargeSizes, ExpandedTensorsCountTheirElementsWith64Bits) {
  const Tensor x = tensor({{3., 4}}, {.device = cpu}).expand({kRow, 2});
  EXPECT_EQ(x.numel(), 2 * kRow);
  EXPECT_TRUE(
      x.index({tensor({kFar, 1}, {.device = cpu})}).equal(tensor({{3., 4}, {3, 4}}, {.device = cpu})));
  EXPECT_EQ(x.narrow(0, kFar, 3).sum().item<double>(), 21);
  EXPECT_EQ(x.nbytes(), 8 * kRow);
}

TEST(LargeSizes, ThatNo64BitsHoldAreErrors) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62, kWide = std::int64_t{1} << 40;
  const Tensor one = ones({1}, kBytes), none = ones({0, 1}, kBytes);
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"zeros",
       [&] {
         zeros({kHuge, 4}, kBytes);
       }},
      {"the bytes of zeros", [&] { zeros({kHuge}, {.dtype = float64, .device = cpu}); }},
      {"expand",
       [&] {
         one.expand({kWide, kWide});
       }},
      {"broadcasting",
       [&] {
         (void)(one.expand({kWide, 1}) + one.expand({kWide}));
       }},
      {"as_strided", [&] { one.as_strided({3}, {kHuge}); }},
      {"the size of as_strided",
       [&] {
         one.as_strided({kWide, kWide}, {0, 0});
       }},
      {"repeat",
       [&] {
         one.repeat({kHuge, 4});
       }},
      {"repeat_interleave", [&] { repeat_interleave(one.expand({kHuge}), 4); }},
      {"repeat_interleave of none",
       [&] {
         repeat_interleave(none.expand({0, kHuge}), 4, 1);
       }},
      {"repeat_interleave by a tensor",
       [&] {
         repeat_interleave(tensor({kHuge, kHuge}, {.device = cpu}));
       }},
      {"cat",
       [&] {
         cat({one.expand({kHuge}), one.expand({kHuge})});
       }},
      {"one_hot", [&] { one_hot(tensor({std::numeric_limits<std::int64_t>::max()}, {.device = cpu})); }},
      {"bincount", [&] { bincount(tensor({std::numeric_limits<std::int64_t>::max()}, {.device = cpu})); }},
      {"arange", [&] { arange(1e19); }},
  };
  for (const auto& [name, call] : calls) EXPECT_THROW(call(), TensorError) << name;
}

}  // namespace
}  // namespace lectern
