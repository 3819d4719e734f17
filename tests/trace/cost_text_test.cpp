#include "trace/cost_text.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(CostText, HasThreeDigits) {
  EXPECT_EQ(show_duration(0), "0 ns");
  EXPECT_EQ(show_duration(999), "999 ns");
  EXPECT_EQ(show_duration(1500), "1.5 \u00B5s");
  EXPECT_EQ(show_duration(999'499, "us"), "999 us");
  EXPECT_EQ(show_duration(999'500), "1 ms");
  EXPECT_EQ(show_duration(1'234'000'000), "1.23 s");
  EXPECT_EQ(show_duration(86'400'000'000'000), "86400 s");
  EXPECT_EQ(show_quantity(0), "0");
  EXPECT_EQ(show_quantity(999), "999");
  EXPECT_EQ(show_quantity(1000), "1 k");
  EXPECT_EQ(show_quantity(999'600), "1 M");
  EXPECT_EQ(show_quantity(3.14e23, "FLOP"), "314000 EFLOP");
  EXPECT_EQ(show_quantity(42, "B"), "42 B");
  EXPECT_EQ(show_quantity(-1536, "B"), "-1.54 kB");
}

}  // namespace
}  // namespace lectern
