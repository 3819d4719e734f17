#include "kernels/geometry.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/tiles.h"

namespace lectern::kernels::cpu {
namespace {

using Offsets = std::array<std::int64_t, kMaxArrays>;

struct Arrays {
  std::vector<std::int64_t> sizes;
  std::vector<std::vector<std::int64_t>> strides;  ///< in elements
  std::vector<std::int64_t> element_sizes;

  std::vector<ArrayStrides> views() const {
    std::vector<ArrayStrides> result;
    for (std::size_t k = 0; k < strides.size(); ++k) result.push_back({strides[k].data(), element_sizes[k]});
    return result;
  }
};

/// Dense strides in a random order of dimensions, some of them then repeated (0), some dimensions cut short.
Arrays random_arrays(std::mt19937& engine) {
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(engine() % bound); };
  Arrays arrays;
  const std::size_t rank = below(6);
  for (std::size_t d = 0; d < rank; ++d)
    arrays.sizes.push_back(std::vector<std::int64_t>{0, 1, 1, 2, 3, 5, 9}[below(60) == 0 ? 0 : 1 + below(6)]);
  const std::size_t count = 1 + below(kMaxArrays);
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<std::size_t> order(rank);
    for (std::size_t d = 0; d < rank; ++d) order[d] = rank - 1 - d;
    if (below(2) == 0) std::shuffle(order.begin(), order.end(), engine);
    std::vector<std::int64_t> strides(rank);
    std::int64_t stride = below(4) == 0 ? 2 : 1;
    for (const std::size_t d : order) {
      strides[d] = stride;
      stride *= arrays.sizes[d] + (below(5) == 0 ? 1 : 0);
    }
    for (std::int64_t& each : strides) each = k > 0 && below(4) == 0 ? 0 : each;
    arrays.strides.push_back(strides);
    arrays.element_sizes.push_back(std::int64_t{1} << below(4));
  }
  return arrays;
}

/// The byte offsets of all elements in all arrays, sorted.
std::vector<Offsets> naive(const Arrays& arrays) {
  std::vector<Offsets> found = {{}};
  for (std::size_t d = 0; d < arrays.sizes.size(); ++d) {
    std::vector<Offsets> next;
    for (const Offsets& offsets : found) {
      for (std::int64_t i = 0; i < arrays.sizes[d]; ++i) {
        Offsets moved = offsets;
        for (std::size_t k = 0; k < arrays.strides.size(); ++k) {
          moved[k] += i * arrays.strides[k][d] * arrays.element_sizes[k];
        }
        next.push_back(moved);
      }
    }
    found = next;
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<Offsets> walked(const Geometry& geometry) {
  std::vector<Offsets> found;
  std::vector<std::int64_t> at(static_cast<std::size_t>(geometry.rank), 0);
  for (std::int64_t i = 0; i < geometry.numel; ++i) {
    Offsets offsets{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(geometry.arrays); ++k) {
      for (std::size_t d = 0; d < at.size(); ++d) offsets[k] += at[d] * geometry.strides[k][d];
    }
    found.push_back(offsets);
    for (std::size_t d = 0; d < at.size() && ++at[d] == geometry.sizes[d]; ++d) at[d] = 0;
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Through tiles, walked in two halves.
std::vector<Offsets> tiled(const Geometry& geometry, std::int64_t capacity, std::int64_t crossing) {
  const Tiling tiling(geometry, capacity, crossing);
  std::vector<Offsets> found;
  static std::array<std::byte, 2'000'000> memory;  // more than random_arrays() may span
  std::array<std::byte*, kMaxArrays> base;
  base.fill(memory.data());
  const auto visit = [&](const Tile& tile) {
    EXPECT_LE(tile.length * tile.rows, capacity);
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      for (std::int64_t i = 0; i < tile.length; ++i) {
        Offsets offsets{};
        for (std::size_t k = 0; k < static_cast<std::size_t>(geometry.arrays); ++k) {
          const auto& strides = tiling.geometry().strides[k];
          offsets[k] = tile.at[k] - memory.data() + i * strides[0] + row * strides[1];
        }
        found.push_back(offsets);
      }
    }
  };
  tiling.walk(base, 0, tiling.count() / 2, visit);
  tiling.walk(base, tiling.count() / 2, tiling.count(), visit);
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Geometry, WalksEveryElementOnce) {
  std::mt19937 engine(7);
  for (int trial = 0; trial < 3000; ++trial) {
    SCOPED_TRACE(trial);
    const Arrays arrays = random_arrays(engine);
    const Geometry geometry = make_geometry(arrays.sizes, arrays.views());
    const std::vector<Offsets> expected = naive(arrays);
    ASSERT_EQ(geometry.numel, static_cast<std::int64_t>(expected.size()));
    ASSERT_EQ(walked(geometry), expected);
    if (geometry.numel == 0) continue;
    ASSERT_EQ(tiled(geometry, 1024, 32), expected);
    ASSERT_EQ(tiled(geometry, 8, 2), expected);
  }
}

Geometry of(const std::vector<std::int64_t>& sizes, const std::vector<std::vector<std::int64_t>>& strides) {
  const Arrays arrays{sizes, strides, std::vector<std::int64_t>(strides.size(), 4)};
  return make_geometry(arrays.sizes, arrays.views());
}

TEST(Geometry, MergesWhatIsOneRun) {
  const Geometry contiguous = of({2, 3, 4}, {{12, 4, 1}, {12, 4, 1}});
  EXPECT_EQ(contiguous.rank, 1);
  EXPECT_EQ(contiguous.sizes[0], 24);
  EXPECT_EQ(contiguous.strides[1][0], 4);
  EXPECT_EQ(of({2, 3, 4}, {{1, 2, 6}, {1, 2, 6}}).rank, 1);   // in another order
  EXPECT_EQ(of({2, 3, 4}, {{12, 4, 1}, {0, 0, 0}}).rank, 1);  // one number for all
  EXPECT_EQ(of({2, 3, 4}, {{12, 4, 1}, {0, 4, 1}}).rank, 2);  // rows repeat
  EXPECT_EQ(of({2, 3, 4}, {{12, 4, 1}, {1, 2, 6}}).rank, 3);  // transposed
  EXPECT_EQ(of({2, 1, 4}, {{4, 77, 1}, {4, 0, 1}}).rank, 1);  // a size of 1 has no say
  EXPECT_EQ(of({}, {{}}).rank, 1);
  EXPECT_EQ(of({}, {{}}).numel, 1);
  EXPECT_EQ(of({3, 0, 2}, {{0, 2, 1}, {0, 0, 1}}).numel, 0);
  const std::vector<std::int64_t> ones(kMaxRank, 1);
  EXPECT_EQ(of(ones, {ones}).rank, 1);
}

TEST(Geometry, OfNothingHasNoStridesThatMatter) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const Geometry nothing = of({kHuge, 5, 0, kHuge}, {{kHuge, kHuge, 1, 1}, {0, 0, 0, 0}});
  EXPECT_EQ(nothing.rank, 1);
  EXPECT_EQ(nothing.numel, 0);
  EXPECT_EQ(nothing.sizes[0], 0);
}

TEST(Geometry, HasTheOrderOfTheFirstArray) {
  const Geometry geometry = of({2, 3}, {{1, 2}, {3, 1}});
  EXPECT_EQ(geometry.sizes[0], 2);
  EXPECT_EQ(geometry.strides[0][0], 4);
  EXPECT_EQ(geometry.strides[1][0], 12);
}

}  // namespace
}  // namespace lectern::kernels::cpu
