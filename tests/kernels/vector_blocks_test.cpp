#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/pool_lines.h"
#include "kernels/cpu/reduction_blocks.h"
#include "kernels/other_isas.h"
#include "kernels/reductions.h"

// Loops that are written for vectors, beside the same one element at a time, bit by bit.

namespace lectern::kernels::cpu {
namespace {

template <typename T>
class VectorBlocks : public testing::Test {};
using RealTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorBlocks, RealTypes);

/// Value i goes to part i mod kParts; parts are merged pairwise.
template <int kParts, typename T>
T sum_in_parts(const T* values, std::int64_t length) {
  T parts[kParts] = {};
  for (std::int64_t i = 0; i < length; ++i) parts[i % kParts] += values[i];
  for (int half = kParts / 2; half > 0; half /= 2) {
    for (int p = 0; p < half; ++p) parts[p] += parts[p + half];
  }
  return parts[0];
}

TYPED_TEST(VectorBlocks, SumRunsInParts) {
  using T = TypeParam;
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<T> draw(-1, 1);
  constexpr std::int64_t kRuns = 3, kPitch = 210;
  std::vector<T> values(kRuns * kPitch);
  for (T& value : values) value = draw(engine);
  for (const Isa isa : all_isas()) {
    const ReductionBlocks& blocks =
        reduction_kernels(isa).table[static_cast<std::size_t>(Reduction::sum)]
                                    [compute_index(sizeof(T) == 4 ? float32 : float64)];
    for (std::int64_t length = 1; length <= 200; ++length) {
      SCOPED_TRACE("instruction set " + std::to_string(static_cast<int>(isa)) + ", length " +
                   std::to_string(length));
      T sums[kRuns];
      ASSERT_EQ(blocks.state_size, sizeof(T));
      blocks.runs(sums, values.data(), kRuns, kPitch, length, 0);
      for (std::int64_t r = 0; r < kRuns; ++r) {
        const T* const run = values.data() + r * kPitch;
        ASSERT_EQ(sums[r], length < 128 ? sum_in_parts<8>(run, length) : sum_in_parts<64>(run, length));
      }
    }
  }
}

/// Of a few values, so that many are equal; some are infinite or NaN.
template <typename T>
std::vector<T> draw_levels(std::size_t count) {
  std::mt19937_64 engine(2);
  std::vector<T> made(count);
  for (T& value : made) {
    const auto drawn = engine() % 12;
    value = drawn == 0   ? -std::numeric_limits<T>::infinity()
            : drawn == 1 ? std::numeric_limits<T>::infinity()
                         : static_cast<T>(drawn);
    if (engine() % 20 == 0) value = std::numeric_limits<T>::quiet_NaN();
  }
  return made;
}

TYPED_TEST(VectorBlocks, FindMaximaOfWindows) {
  using T = TypeParam;
  constexpr std::int64_t kWindows = 13, kGroups = 16, kCount = 3, kPitch = 200;
  const std::vector<T> values = draw_levels<T>(kCount * kPitch);
  for (const Isa isa : all_isas()) {
    for (const std::int64_t stride : {1, 2, 3, 5}) {
      for (const std::int64_t kernel : {1, 2, 3, 7}) {
        for (const std::int64_t dilation : {1, 2, 4}) {
          SCOPED_TRACE("instruction set " + std::to_string(static_cast<int>(isa)) + ", stride " +
                       std::to_string(stride) + ", kernel " + std::to_string(kernel) + ", dilation " +
                       std::to_string(dilation));
          const PoolLines<T> lines{values.data(), kCount, kPitch, 7, 100, kernel, stride, dilation};
          T maxima[kGroups];
          PoolIndex<T> indices[kGroups];
          for (auto& index : indices) index = -1;
          pool_line_kernels(isa).template get<T>().maxima(maxima, indices, lines, kWindows);
          for (std::int64_t i = 0; i < kWindows; ++i) {
            T best = -std::numeric_limits<T>::infinity();
            std::int64_t index = -1;
            for (std::int64_t r = 0; r < kCount; ++r) {
              for (std::int64_t k = 0; k < kernel; ++k) {
                const std::int64_t at = i * stride + k * dilation;
                const T value = values[static_cast<std::size_t>(r * kPitch + at)];
                if (!(value > best) && value == value) continue;
                best = value;
                index = 7 + r * 100 + at;
              }
            }
            ASSERT_EQ(indices[i], index) << "window " << i;
            ASSERT_TRUE(maxima[i] == best || (maxima[i] != maxima[i] && best != best)) << "window " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lectern::kernels::cpu
