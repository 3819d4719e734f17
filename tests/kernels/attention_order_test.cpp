#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cuda/attention_scores.h"

namespace lectern::kernels::cuda {
namespace {

AttentionProblem problem_of(std::int64_t matrices, std::int64_t length, bool is_causal) {
  AttentionProblem problem{};
  problem.dtype = bfloat16;
  problem.batch = {1, 1, 1, matrices};
  problem.queries = problem.keys = length;
  problem.head = 128;
  problem.is_causal = is_causal;
  return problem;
}

BlockOrder order_of(std::int64_t matrices, std::int64_t length, bool is_causal) {
  const AttentionProblem problem = problem_of(matrices, length, is_causal);
  return block_order(problem, problem.batch, problem.queries, 128);
}

std::vector<int> blocks_in(const BlockOrder& order) {
  std::vector<int> blocks;
  for (std::int64_t place = 0; place < order.count(); ++place) blocks.push_back(order.block(place));
  return blocks;
}

TEST(BlockOrder, EachBlockHasOnePlace) {
  for (const std::int64_t matrices : {1, 2, 15, 16, 17, 33, 100}) {
    for (const std::int64_t length : {1, 128, 129, 1000, 20000}) {
      for (const bool is_causal : {false, true}) {
        std::vector<int> blocks = blocks_in(order_of(matrices, length, is_causal));
        std::sort(blocks.begin(), blocks.end());
        for (std::size_t i = 0; i < blocks.size(); ++i) ASSERT_EQ(blocks[i], i) << matrices << ", " << length;
      }
    }
  }
}

TEST(BlockOrder, OneMatrixAfterTheOtherWhereAllBlocksHaveAsMuchToDo) {
  const std::vector<int> blocks = blocks_in(order_of(20, 1000, false));
  EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
}

TEST(BlockOrder, OfCausalAttentionTheLongestBlocksOfAllMatricesGoFirst) {
  const BlockOrder order = order_of(64, 1000, true);
  const std::vector<int> blocks = blocks_in(order);
  EXPECT_EQ(order.together, 64);
  EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end(),
                             [&](int a, int b) { return a % order.blocks < b % order.blocks; }));
}

/// In groups of 16, where the keys and values of more do not fit the L2 cache.
TEST(BlockOrder, MatricesOfLongSequencesGoInGroups) {
  const BlockOrder order = order_of(40, 1 << 14, true);
  const std::vector<int> blocks = blocks_in(order);
  EXPECT_EQ(order.together, 16);
  const auto group = [&](int block) { return block / order.blocks / 16; };
  EXPECT_TRUE(
      std::is_sorted(blocks.begin(), blocks.end(), [&](int a, int b) { return group(a) < group(b); }));
}

}  // namespace
}  // namespace lectern::kernels::cuda
