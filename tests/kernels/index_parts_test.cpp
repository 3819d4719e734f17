#include "kernels/index_parts.h"

#include <vector>

#include <gtest/gtest.h>

namespace lectern::kernels {
namespace {

struct Part {
  std::vector<std::int64_t> sizes;
  std::int64_t offset;

  friend bool operator==(const Part&, const Part&) = default;
};

std::vector<Part> parts(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides,
                        std::int64_t element_size, std::int64_t limit) {
  const ArrayStrides array{strides.data(), element_size};
  std::vector<Part> all;
  visit_indexable(make_geometry(sizes, {&array, 1}), limit, [&](const Geometry& part, std::int64_t offset) {
    EXPECT_TRUE(is_indexable(part, limit));
    const auto* const begin = part.sizes.data();
    all.push_back({{begin, begin + part.rank}, offset});
  });
  return all;
}

TEST(IndexParts, WhatIsIndexableIsOnePart) {
  EXPECT_EQ(parts({100}, {1}, 1, 100), (std::vector<Part>{{{100}, 0}}));
  EXPECT_EQ(parts({2, 3}, {3, 1}, 4, 24), (std::vector<Part>{{{6}, 0}}));
}

TEST(IndexParts, HalvesComeInOrder) {
  EXPECT_EQ(parts({101}, {1}, 1, 50), (std::vector<Part>{{{50}, 0}, {{25}, 50}, {{26}, 75}}));
  EXPECT_EQ(parts({10}, {1}, 4, 20), (std::vector<Part>{{{5}, 0}, {{5}, 20}}));
}

TEST(IndexParts, TheLongestDimensionIsDivided) {
  // Rows of 3 elements, 100 bytes apart.
  EXPECT_EQ(parts({4, 3}, {50, 1}, 2, 210), (std::vector<Part>{{{3, 2}, 0}, {{3, 2}, 200}}));
  // Of equal extents the outer one.
  EXPECT_EQ(parts({2, 2}, {1, 1}, 60, 100), (std::vector<Part>{{{2, 1}, 0}, {{2, 1}, 60}}));
}

}  // namespace
}  // namespace lectern::kernels
