#include "kernels/random_math.h"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/random_blocks.h"
#include "kernels/mt19937.h"
#include "kernels/other_isas.h"

namespace lectern::kernels::cpu {
namespace {

TEST(RandomMath, LogarithmSineAndCosineAreRight) {
  for (std::uint32_t i = 1; i <= 1U << 24; i += 97) {
    const float unit = static_cast<float>(i) * 0x1p-24F;
    const double log = std::log(double{unit});
    ASSERT_NEAR(cephes_log(unit), log, 1e-7 * std::abs(log) + 1e-9) << unit;
    const float angle = unit * 6.2831855F;
    const SinCos both = cephes_sincos(angle);
    ASSERT_NEAR(both.sin, std::sin(double{angle}), 1.2e-7) << angle;
    ASSERT_NEAR(both.cos, std::cos(double{angle}), 1.2e-7) << angle;
  }
}

TEST(RandomMath, ErfinvInvertsErf) {
  for (double y = -0.999; y < 1; y += 0.001) {
    EXPECT_NEAR(std::erf(erfinv(y)), y, 1e-14);
    EXPECT_NEAR(std::erf(erfinv(static_cast<float>(y))), static_cast<float>(y), 3e-7F);
  }
  EXPECT_EQ(erfinv(1.0), INFINITY);
  EXPECT_EQ(erfinv(-1.0F), -INFINITY);
  EXPECT_TRUE(std::isnan(erfinv(1.5)));
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

TEST(RandomMath, AllInstructionSetsGiveTheSameBits) {
  LECTERN_SKIP_WITHOUT_OTHER_ISAS();
  constexpr std::int64_t kCount = 16 * 20000;
  std::vector<std::uint32_t> words(2 * kCount);
  Mt19937(99).fill(words);
  const RandomBlocks& plain = random_blocks(Isa::portable);
  std::vector<float> normal(kCount), uniform(kCount);
  std::vector<double> wide(kCount);
  plain.uniform_float(normal.data(), words.data(), kCount, 24, 0, 1);
  plain.normal_float(normal.data(), kCount / 16, 0.5F, 3);
  plain.uniform_float(uniform.data(), words.data(), kCount, 11, -0.3F, 1.7F);
  plain.uniform_double(wide.data(), words.data(), kCount, -0.3, 1.7);
  for (const Isa isa : other_isas()) {
    const RandomBlocks& blocks = random_blocks(isa);
    std::vector<float> floats(kCount);
    std::vector<double> doubles(kCount);
    blocks.uniform_float(floats.data(), words.data(), kCount, 24, 0, 1);
    blocks.normal_float(floats.data(), kCount / 16, 0.5F, 3);
    EXPECT_TRUE(same_bits(floats, normal));
    blocks.uniform_float(floats.data(), words.data(), kCount, 11, -0.3F, 1.7F);
    EXPECT_TRUE(same_bits(floats, uniform));
    blocks.uniform_double(doubles.data(), words.data(), kCount, -0.3, 1.7);
    EXPECT_TRUE(same_bits(doubles, wide));
  }
}

}  // namespace
}  // namespace lectern::kernels::cpu
