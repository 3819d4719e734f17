#include "base/nearest.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(Nearest, OfAFewCandidates) {
  const std::vector<std::string> commands = {"build", "test", "serve"};
  EXPECT_EQ(nearest("biuld", commands), "build");
  EXPECT_EQ(nearest("tets", commands), "test");
  EXPECT_EQ(nearest("xyzzy", commands), "");
  EXPECT_EQ(nearest("lecture_02_tokenisation", {"lecture_01_tokenization"}), "lecture_01_tokenization");
}

TEST(Nearest, IsNoneWhereNothingOfTheWordIsLeft) {
  EXPECT_EQ(nearest("q", {"x", "y"}), "");
  EXPECT_EQ(nearest("ab", {"xy", "ac"}), "ac");
  EXPECT_EQ(nearest("", {"x"}), "");
  EXPECT_EQ(nearest(std::string(1000, 'a'), {std::string(999, 'a')}), "");
}

}  // namespace
}  // namespace lectern
