#include "trace/align.h"

#include <string>

#include <gtest/gtest.h>

namespace lectern {
namespace {

Keys keys(const std::string& letters) {
  return {letters.begin(), letters.end()};
}

/// The letters that are the same ones, in order; checks that the pairs ascend and are equal.
std::string common(const std::string& before, const std::string& now) {
  std::string letters;
  int old_last = -1, new_last = -1;
  for (const auto& [old_at, new_at] : align(keys(before), keys(now))) {
    EXPECT_GT(old_at, old_last);
    EXPECT_GT(new_at, new_last);
    old_last = old_at;
    new_last = new_at;
    EXPECT_EQ(before[static_cast<std::size_t>(old_at)], now[static_cast<std::size_t>(new_at)]);
    letters += before[static_cast<std::size_t>(old_at)];
  }
  return letters;
}

TEST(Align, EqualSequencesMatchWhole) {
  EXPECT_EQ(common("abcabc", "abcabc"), "abcabc");
  EXPECT_EQ(common("", ""), "");
  EXPECT_EQ(common("", "abc"), "");
}

TEST(Align, WhatIsInsertedOrRemovedLeavesTheRestAlone) {
  EXPECT_EQ(common("abcdef", "abXcdef"), "abcdef");
  EXPECT_EQ(common("abXcdef", "abcdef"), "abcdef");
  EXPECT_EQ(common("abcdef", "XabcYdefZ"), "abcdef");
}

TEST(Align, RepeatedElementsMatchBetweenLandmarks) {
  // The second of the equal ones was inserted: the landmark b keeps the others where they are.
  const Matches matches = align(keys("axbxc"), keys("axxbxc"));
  EXPECT_EQ(matches.size(), 5U);
  EXPECT_EQ(matches[3], (std::pair{3, 4}));
  EXPECT_EQ(common("xxxx", "xx"), "xx");
  EXPECT_GE(common("xyxyxy", "yxyxyx").size(), 3U);
}

TEST(Align, MovedElementsMatchOnceOnly) {
  EXPECT_EQ(common("abcdef", "defabc").size(), 3U);
  EXPECT_EQ(common("abc", "cba").size(), 1U);
}

TEST(AlignShortest, FindsTheLongestCommonPart) {
  const auto length = [](const std::string& before, const std::string& now) {
    const auto matches = align_shortest(keys(before), keys(now));
    EXPECT_TRUE(matches);
    int old_last = -1, new_last = -1;
    for (const auto& [old_at, new_at] : *matches) {
      EXPECT_TRUE(old_at > old_last && new_at > new_last);
      EXPECT_EQ(before.at(static_cast<std::size_t>(old_at)), now.at(static_cast<std::size_t>(new_at)));
      old_last = old_at;
      new_last = new_at;
    }
    return matches->size();
  };
  EXPECT_EQ(length("", ""), 0U);
  EXPECT_EQ(length("abc", ""), 0U);
  EXPECT_EQ(length("", "abc"), 0U);
  EXPECT_EQ(length("abc", "abc"), 3U);
  EXPECT_EQ(length("abc", "xyz"), 0U);
  EXPECT_EQ(length("xyxyxy", "yxyxyx"), 5U);
  EXPECT_EQ(length("abcabba", "cbabac"), 4U);
  EXPECT_EQ(length("oiioiioii", "oiioiiioii"), 9U);
}

TEST(AlignShortest, GivesUpOnWhatHasLittleInCommon) {
  EXPECT_FALSE(align_shortest(Keys(50'000, 1), Keys(50'000, 2)));
  EXPECT_TRUE(align_shortest(Keys(50'000, 1), Keys(49'990, 1)));
}

TEST(Align, LongSequencesOfOneElementAreNoTrouble) {
  const std::string many(200'000, 'x');
  EXPECT_EQ(align(keys(many), keys("y" + many + "z")).size(), many.size());
}

}  // namespace
}  // namespace lectern
