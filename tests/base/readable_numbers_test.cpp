#include "base/readable_numbers.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace lectern {
namespace {

std::string shown(std::int64_t value) {
  return show_number(value);
}
std::string shown_real(double value) {
  return show_number(value);
}

TEST(ReadableNumbers, IntegersInFull) {
  EXPECT_EQ(shown(0), "0");
  EXPECT_EQ(shown(999999), "999999");
  EXPECT_EQ(shown(1000000), "1,000,000");
  EXPECT_EQ(shown(-1234567), "\u22121,234,567");
  EXPECT_EQ(shown(1234567890123), "1,234,567,890,123");
  EXPECT_EQ(shown(1000000000000000001), "1,000,000,000,000,000,001");
  EXPECT_EQ(shown(std::numeric_limits<std::int64_t>::max()), "9,223,372,036,854,775,807");
  EXPECT_EQ(shown(std::numeric_limits<std::int64_t>::min()), "\u22129,223,372,036,854,775,808");
  EXPECT_EQ(show_number(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(ReadableNumbers, RealNumbersReadBack) {
  EXPECT_EQ(shown_real(123456.789), "123456.789");
  EXPECT_EQ(shown_real(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(shown_real(0.1), "0.1");
  EXPECT_EQ(shown_real(143.92692), "143.92692");
  EXPECT_EQ(shown_real(1234567.5), "1,234,567.5");
  EXPECT_EQ(shown_real(999999999999.25), "999,999,999,999.25");
  EXPECT_EQ(shown_real(0.0001), "0.0001");
  EXPECT_EQ(shown_real(0.00001234), "1.234e-5");
  EXPECT_EQ(shown_real(1.05e24), "1.05e24");
  EXPECT_EQ(shown_real(-6.3e23), "\u22126.3e23");
  EXPECT_EQ(shown_real(1234567890123.5), "1.2345678901235e12");
  EXPECT_EQ(shown_real(std::numeric_limits<double>::max()), "1.7976931348623157e308");
  EXPECT_EQ(shown_real(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(ReadableNumbers, RealNumbersLookLikeReal) {
  EXPECT_EQ(shown_real(3), "3.0");
  EXPECT_EQ(shown_real(1e6), "1,000,000.0");
  EXPECT_EQ(shown_real(0), "0.0");
  EXPECT_EQ(shown_real(-0.0), "\u22120.0");
}

TEST(ReadableNumbers, WhatIsNoNumber) {
  EXPECT_EQ(shown_real(std::nan("")), "NaN");
  EXPECT_EQ(shown_real(INFINITY), "\u221E");
  EXPECT_EQ(shown_real(-INFINITY), "\u2212\u221E");
}

TEST(ReadableNumbers, Counts) {
  EXPECT_EQ(counted(1, "step", "steps"), "1 step");
  EXPECT_EQ(counted(0, "step", "steps"), "0 steps");
  EXPECT_EQ(counted(750, "step", "steps"), "750 steps");
  EXPECT_EQ(counted(23459, "step", "steps"), "23,459 steps");
  EXPECT_EQ(counted(12345678, "step", "steps"), "12,345,678 steps");
}

TEST(ReadableNumbers, Dates) {
  EXPECT_EQ(show_date("2026-11-21"), "21 November 2026");
  EXPECT_EQ(show_date("2016-08"), "August 2016");
  EXPECT_EQ(show_date("2026-11-21T18:00+01:00"), "21 November 2026, 18:00 UTC+1");
  EXPECT_EQ(show_date("2026-11-21T18:00"), "2026-11-21T18:00") << "without its zone it is no time";
  EXPECT_EQ(show_date("2016"), "2016");
  EXPECT_EQ(show_date("2016-13-01"), "2016-13-01");
  EXPECT_EQ(show_date("soon"), "soon");
  EXPECT_EQ(show_date(""), "");
}

}  // namespace
}  // namespace lectern
