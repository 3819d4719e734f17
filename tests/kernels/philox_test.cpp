#include "kernels/philox.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/small_float.h"

namespace lectern::kernels {
namespace {

std::vector<std::uint32_t> words(const PhiloxWords& drawn) {
  return {drawn.word, drawn.word + 4};
}

/// All threads of a grid, one after the other.
template <typename Distribution>
std::vector<double> fill(const Distribution& distribution, PhiloxState state, std::int64_t count,
                         std::int64_t blocks) {
  std::vector<double> values(static_cast<std::size_t>(count), NAN);
  const PhiloxFill<Distribution> fill(distribution, state, count);
  const auto threads = static_cast<std::uint32_t>(blocks * kPhiloxBlock);
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    fill(thread, threads, [&](std::uint32_t at, auto value) {
      double& place = values[at];
      EXPECT_TRUE(std::isnan(place)) << at << " was written twice";
      place = static_cast<double>(value);
    });
  }
  return values;
}

TEST(Philox, GivesThePublishedWords) {
  // Random123's kat_vectors, philox4x32 with 10 rounds.
  EXPECT_EQ(words(philox4x32_10({{0, 0, 0, 0}}, PhiloxKeys(0))),
            (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(philox4x32_10({{~0U, ~0U, ~0U, ~0U}}, PhiloxKeys(~std::uint64_t{0}))),
            (std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(philox4x32_10({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
                                PhiloxKeys(0x299f31d0a4093822))),
            (std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, GivesPyTorchsNumbersOfSeed0) {
  // As published in PyTorch's documentation and examples, to the digits printed.
  const auto normal = fill(PhiloxNormal<float>{0, 1}, {0, 0}, 6, 1);
  const std::vector<double> known_normal{-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797};
  const auto uniform = fill(PhiloxUniform<float>{0, 1, 1}, {0, 0}, 4, 1);
  const std::vector<double> known_uniform{0.3990, 0.5167, 0.0249, 0.9401};
  for (std::size_t i = 0; i < known_normal.size(); ++i) EXPECT_NEAR(normal[i], known_normal[i], 6e-5);
  for (std::size_t i = 0; i < known_uniform.size(); ++i) EXPECT_NEAR(uniform[i], known_uniform[i], 6e-5);
}

TEST(Philox, AnOriginMovesTheState) {
  const PhiloxNormal<float> normal{1, 2};
  const PhiloxOrigin origin{987654321098765, 24};
  EXPECT_EQ(fill(normal, {0, 16, &origin}, 1000, 1), fill(normal, {987654321098765, 40}, 1000, 1));
}

/// Where element `at` of a fill comes from, said directly instead of by a loop over threads.
double direct(PhiloxState state, std::int64_t at, std::int64_t threads, int values) {
  const std::int64_t turn = at / threads;
  const PhiloxWords drawn =
      philox_draw(state, static_cast<std::uint64_t>(at % threads), static_cast<std::uint64_t>(turn / values));
  const auto word = static_cast<std::size_t>(turn % values);
  return values == 4 ? double{philox_unit(drawn.word[word])}
                     : philox_unit(drawn.word[2 * word], drawn.word[2 * word + 1]);
}

TEST(Philox, ThreadsCoverEveryElementOnce) {
  const PhiloxState state{123456789012345, 40};
  for (const std::int64_t count : {1, 255, 256, 257, 1023, 1024, 1025, 5000}) {
    for (const int multiprocessors : {1, 2}) {
      const std::int64_t blocks = philox_blocks(count, multiprocessors, 512);
      const auto floats = fill(PhiloxUniform<float>{0, 1, 1}, state, count, blocks);
      const auto doubles = fill(PhiloxUniform<double>{0, 1, 1}, state, count, blocks);
      for (std::int64_t at = 0; at < count; ++at) {
        ASSERT_EQ(floats[static_cast<std::size_t>(at)], direct(state, at, blocks * kPhiloxBlock, 4))
            << at << " of " << count;
        ASSERT_EQ(doubles[static_cast<std::size_t>(at)], direct(state, at, blocks * kPhiloxBlock, 2))
            << at << " of " << count;
      }
    }
  }
}

TEST(Philox, GridAndOffsetAreThoseOfPyTorch) {
  // An H100 (132 multiprocessors of 2,048 threads) holds 1,056 blocks: 270,336 threads.
  EXPECT_EQ(philox_blocks(1, 132, 2048), 1);
  EXPECT_EQ(philox_blocks(257, 132, 2048), 2);
  EXPECT_EQ(philox_blocks(270336, 132, 2048), 1056);
  EXPECT_EQ(philox_blocks(1 << 24, 132, 2048), 1056);
  EXPECT_EQ(philox_increment(1, 1, 4), 4U);
  EXPECT_EQ(philox_increment(1024, 1, 4), 4U);
  EXPECT_EQ(philox_increment(1025, 1, 4), 8U);
  EXPECT_EQ(philox_increment(1025, 1, 2), 12U);
  EXPECT_EQ(philox_increment(1 << 24, 1056, 4), 64U);
  EXPECT_EQ(philox_increment((std::int64_t{1} << 33) + 1, 1056, 4), 31776U);
}

TEST(Philox, AFillThatFollowsDrawsOtherWords) {
  const std::int64_t count = 3000, blocks = 2;
  const auto first = fill(PhiloxUniform<double>{0, 1, 1}, {5, 0}, count, blocks);
  const auto next =
      fill(PhiloxUniform<double>{0, 1, 1}, {5, philox_increment(count, blocks, 2)}, count, blocks);
  std::vector<double> both(first);
  both.insert(both.end(), next.begin(), next.end());
  std::sort(both.begin(), both.end());
  EXPECT_EQ(std::unique(both.begin(), both.end()), both.end());
}

TEST(Philox, UnitsAreInTheHalfOpenIntervalAbove0) {
  EXPECT_EQ(philox_unit(0), 0x1p-33F);
  EXPECT_EQ(philox_unit(~0U), 1.0F);
  EXPECT_EQ(philox_unit(0, 0), 0x1p-54);
  EXPECT_EQ(philox_unit(~0U, ~0U << 21 >> 21), philox_unit(~0U, 0x7ff));
}

TEST(Philox, DistributionsMapTheirEnds) {
  const PhiloxWords ones{{~0U, ~0U, ~0U, ~0U}};
  const PhiloxWords zeros{{0, 0, 0, 0}};
  EXPECT_EQ((PhiloxUniform<float>{2, 3, 1}(ones).value[0]), 2.0F) << "`to` is no value";
  EXPECT_EQ(
      float(
          (PhiloxUniform<Half>{Half(0.0F), Half(1.0F), Half(1.0F)}({{~0U - (1U << 20), 0, 0, 0}}).value[0])),
      0.0F)
      << "what is rounded to `to` neither";
  EXPECT_EQ((PhiloxExponential<float>{2}(ones).value[3]), 0x1p-25F);
  EXPECT_EQ((PhiloxBernoulli<float>{1}(zeros).value[1]), 1.0F);
  EXPECT_EQ((PhiloxBernoulli<float>{0}(zeros).value[1]), 0.0F);
  EXPECT_EQ((PhiloxIntegers<std::uint32_t>{10, -3}(ones).value[2]), 4294967295 % 10 - 3);
  EXPECT_EQ((PhiloxIntegers<std::uint32_t>{0, 0}(ones).value[0]), 4294967295);
  EXPECT_EQ((PhiloxIntegers<std::uint64_t>{0, 0}({{1, 2, 3, 4}}).value[1]), (std::int64_t{3} << 32) + 4);
}

TEST(Philox, NormalAndExponentialHaveTheirMoments) {
  const auto moments = [](const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double value : values) sum += value, squares += value * value;
    const double mean = sum / static_cast<double>(values.size());
    return std::pair(mean, squares / static_cast<double>(values.size()) - mean * mean);
  };
  for (const auto& [mean, variance] : {moments(fill(PhiloxNormal<float>{1, 3}, {1, 0}, 200000, 4)),
                                       moments(fill(PhiloxNormal<double>{1, 3}, {1, 0}, 200000, 4))}) {
    EXPECT_NEAR(mean, 1, 0.03);
    EXPECT_NEAR(variance, 9, 0.15);
  }
  const auto [mean, variance] = moments(fill(PhiloxExponential<float>{0.5F}, {1, 0}, 200000, 4));
  EXPECT_NEAR(mean, 2, 0.03);
  EXPECT_NEAR(variance, 4, 0.15);
}

}  // namespace
}  // namespace lectern::kernels
