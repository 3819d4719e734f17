#include "base/noun.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(Noun, IsSingularOfOneOnly) {
  EXPECT_EQ(with_noun(1, "dimension"), "1 dimension");
  EXPECT_EQ(with_noun(0, "dimension"), "0 dimensions");
  EXPECT_EQ(with_noun(std::size_t{2}, "dimension"), "2 dimensions");
  EXPECT_EQ(with_noun(std::int64_t{-1}, "axis", "axes"), "-1 axes");
  EXPECT_EQ(with_noun(1, "axis", "axes"), "1 axis");
  EXPECT_EQ(with_noun("1", "byte"), "1 byte");
  EXPECT_EQ(with_noun("1.5", "byte"), "1.5 bytes");
  EXPECT_EQ(with_noun("10", "axis", "axes"), "10 axes");
}

}  // namespace
}  // namespace lectern
