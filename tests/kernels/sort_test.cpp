#include "kernels/sort.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/indexing.h"

namespace lectern::kernels::cpu {
namespace {

struct Sorted {
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> places;
};

/// Rows of keys as a stable sort has them.
Sorted expected(const std::vector<std::uint64_t>& keys, std::int64_t rows, std::int64_t columns) {
  Sorted result;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> pairs;
    for (std::int64_t i = 0; i < columns; ++i)
      pairs.emplace_back(keys[static_cast<std::size_t>(row * columns + i)], i);
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [key, place] : pairs) {
      result.keys.push_back(key);
      result.places.push_back(place);
    }
  }
  return result;
}

std::vector<std::uint64_t> drawn(std::int64_t count, std::uint64_t mask, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(count));
  for (std::uint64_t& key : keys) key = engine() & mask;
  return keys;
}

TEST(SortRows, IsAStableSort) {
  for (const std::int64_t columns : {0, 1, 2, 47, 48, 49, 300, 20000}) {
    for (const std::int64_t rows : {0, 1, 3}) {
      for (const std::uint64_t mask :
           {~std::uint64_t{0}, std::uint64_t{0xFF}, std::uint64_t{3} << 40, std::uint64_t{0}}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " & " + std::to_string(mask));
        Sorted sorted{drawn(rows * columns, mask, 5),
                      std::vector<std::int64_t>(static_cast<std::size_t>(rows * columns))};
        const Sorted right = expected(sorted.keys, rows, columns);
        sort_rows(rows, columns, 64, sorted.keys.data(), sorted.places.data());
        ASSERT_EQ(sorted.keys, right.keys);
        ASSERT_EQ(sorted.places, right.places);
      }
    }
  }
}

TEST(SortFirst, HasTheSameFirstKeys) {
  for (const std::int64_t columns : {1, 40, 5000}) {
    for (const std::int64_t k : {0, 1, 7, 100, 5000}) {
      if (k > columns) continue;
      for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xF}}) {
        Sorted sorted{drawn(3 * columns, mask, 6),
                      std::vector<std::int64_t>(static_cast<std::size_t>(3 * columns))};
        const Sorted right = expected(sorted.keys, 3, columns);
        sort_first(3, columns, k, 64, sorted.keys.data(), sorted.places.data());
        for (std::int64_t row = 0; row < 3; ++row) {
          for (std::int64_t i = 0; i < k; ++i) {
            const auto at = static_cast<std::size_t>(row * columns + i);
            ASSERT_EQ(sorted.keys[at], right.keys[at]);
            ASSERT_EQ(sorted.places[at], right.places[at]);
          }
        }
      }
    }
  }
}

TEST(FindOutside, FindsTheFirstOfAnyNumbers) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t step = 1;
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{5}, kMost}) {
    for (const std::int64_t low : {std::int64_t{0}, -size}) {
      for (const std::int64_t value :
           {kLeast, kLeast + 1, std::int64_t{-6}, std::int64_t{-5}, std::int64_t{-1}, std::int64_t{0},
            std::int64_t{4}, std::int64_t{5}, kMost - 1, kMost}) {
        for (const std::size_t at : {std::size_t{0}, std::size_t{33000}, std::size_t{99999}}) {
          std::vector<std::int64_t> indices(100'000, 0);
          indices[at] = value;
          const std::int64_t count = 100'000;
          const auto found = find_outside("find", {&count, 1}, {indices.data(), int64, &step}, low, size);
          const bool inside = value >= low && value < size;
          ASSERT_EQ(found.has_value(), !inside) << value << " in " << low << " to " << size;
          if (found) {
            ASSERT_EQ(*found, value);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace lectern::kernels::cpu
