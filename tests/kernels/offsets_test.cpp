#include "kernels/cuda/offsets.h"

#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lectern::kernels::cuda {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

TEST(Divider, DividesAsTheProcessor) {
  std::mt19937 random(1);
  std::vector<std::int64_t> divisors{kMost, kMost - 1, kMost / 2, kMost / 2 + 1, 50257, 65535, 65536, 65537};
  for (std::int64_t d = 1; d < 2000; ++d) divisors.push_back(d);
  for (int i = 0; i < 2000; ++i) divisors.push_back(1 + static_cast<std::int64_t>(random() >> (1 + i % 31)));
  for (const std::int64_t divisor : divisors) {
    const Divider by(divisor);
    ASSERT_EQ(by.divisor(), divisor);
    const auto expect = [&](std::int64_t x) {
      if (x < 0 || x > kMost) return;
      ASSERT_EQ(by.quotient(static_cast<std::uint32_t>(x)), x / divisor) << x << " / " << divisor;
    };
    for (const std::int64_t multiple : {std::int64_t{0}, divisor, kMost / divisor * divisor, kMost}) {
      for (const std::int64_t near : {-1, 0, 1}) expect(multiple + near);
    }
    for (int i = 0; i < 50; ++i) expect(random() >> 1);
  }
}

Geometry two_arrays(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& a,
                    const std::vector<std::int64_t>& b) {
  const ArrayStrides arrays[] = {{a.data(), 4}, {b.data(), 2}};
  return make_geometry(sizes, arrays);
}

TEST(OffsetCalculator, GivesTheOffsetsOfTheGeometry) {
  const Geometry geometry = two_arrays({3, 1, 7, 5}, {35, 35, 5, 1}, {1, 3, 0, 30});
  const OffsetCalculator<2> offsets(geometry);
  for (std::int64_t i = 0; i < geometry.numel; ++i) {
    const auto expected = element_offsets<2>(geometry, i);
    const auto got = offsets(static_cast<std::uint32_t>(i));
    ASSERT_EQ(got.at[0], expected.at[0]);
    ASSERT_EQ(got.at[1], expected.at[1]);
  }
}

TEST(Parts, AreAllElementsOnceWithinTheLimit) {
  for (const std::int64_t limit : {40, 200, 1000, 100000}) {
    const Geometry geometry = two_arrays({6, 300, 5}, {1500, 5, 1}, {2000, 1, 333});
    std::map<std::int64_t, std::int64_t> pairs, expected;
    for (std::int64_t i = 0; i < geometry.numel; ++i) {
      const auto at = element_offsets<2>(geometry, i);
      expected[at.at[0]] = at.at[1];
    }
    for_each_part(
        geometry,
        [&](const Geometry& part, const auto& first) {
          EXPECT_TRUE(takes_32_bits(part, limit));
          for (std::int64_t i = 0; i < part.numel; ++i) {
            const auto at = element_offsets<2>(part, i);
            EXPECT_TRUE(pairs.emplace(first[0] + at.at[0], first[1] + at.at[1]).second);
          }
        },
        limit);
    EXPECT_EQ(pairs, expected) << limit;
  }
}

TEST(Parts, LongDimensionsAreDividedAtMultiplesOf128) {
  const Geometry geometry = two_arrays({1000}, {1}, {1});
  std::vector<std::int64_t> firsts;
  for_each_part(
      geometry, [&](const Geometry&, const auto& first) { firsts.push_back(first[1] / 2); }, 2500);
  EXPECT_EQ(firsts, (std::vector<std::int64_t>{0, 384}));
}

}  // namespace
}  // namespace lectern::kernels::cuda
