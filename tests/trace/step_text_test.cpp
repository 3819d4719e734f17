#include "trace/step_text.h"

#include <array>

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(StepText, LosesMembersAndKeepsTheOthersAsTheyAre) {
  constexpr std::array<std::string_view, 2> kCosts{"flops", "memory"};
  EXPECT_EQ(
      without_members(R"({"out":"\u00e9","flops":3,"vars":{"flops":1.50},"memory":{"cpu":[1,2]}})", kCosts),
      R"({"out":"\u00e9","vars":{"flops":1.50}})");
  EXPECT_EQ(without_members(R"({"memory":{"cpu":[1,2]}})", kCosts), "");
  EXPECT_EQ(without_members("", kCosts), "");
}

}  // namespace
}  // namespace lectern
