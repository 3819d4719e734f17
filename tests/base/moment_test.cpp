#include "base/moment.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

std::string timestamp_of(std::string_view text) {
  const auto moment = moment_of(text);
  return moment ? timestamp(*moment) : "none";
}

std::string time_of(std::string_view text) {
  const auto moment = moment_of(text);
  return moment ? show_time(*moment) : "none";
}

TEST(Moments, AreDaysAndTimesInAZone) {
  EXPECT_EQ(timestamp_of("2026-11-21"), "2026-11-21T00:00:00Z");
  EXPECT_EQ(timestamp_of("2026-11-21T18:00+01:00"), "2026-11-21T18:00:00+01:00");
  EXPECT_EQ(timestamp_of("2026-11-21T18:00:07Z"), "2026-11-21T18:00:07Z");
  EXPECT_EQ(timestamp_of("2026-12-31T23:59:59-08:00"), "2026-12-31T23:59:59-08:00");
  EXPECT_EQ(timestamp_of("2027-01-01T00:30+14:00"), "2027-01-01T00:30:00+14:00");
  EXPECT_EQ(timestamp_of("0001-01-01T00:00+14:00"), "0001-01-01T00:00:00+14:00");
  EXPECT_EQ(timestamp_of("2026-11-21T00:00-00:00"), "2026-11-21T00:00:00Z");
}

TEST(Moments, AreInTheOrderOfTime) {
  EXPECT_LT(moment_of("2026-11-21T18:00+01:00")->begin, moment_of("2026-11-21T17:30Z")->begin);
  EXPECT_EQ(moment_of("2026-11-21T00:00Z")->begin, moment_of("2026-11-21")->begin);
  EXPECT_EQ(moment_of("2026-03-01T01:00+02:00")->begin, moment_of("2026-02-28T23:00Z")->begin);
}

TEST(Moments, HaveTheirTimeWithItsZone) {
  EXPECT_EQ(time_of("2026-11-21T18:00+01:00"), "18:00 UTC+1");
  EXPECT_EQ(time_of("2026-11-21T09:30:05+05:30"), "09:30:05 UTC+5:30");
  EXPECT_EQ(time_of("2026-11-21T17:05-03:30"), "17:05 UTC\u22123:30");
  EXPECT_EQ(time_of("2026-11-21T00:00Z"), "00:00 UTC");
}

TEST(Moments, AreNothingElse) {
  for (const char* text : {"",
                           "2026",
                           "2026-11",
                           "2026-02-30",
                           "2026-11-21T",
                           "2026-11-21T18:00",
                           "2026-11-21T18:00+1:00",
                           "2026-11-21 18:00Z",
                           "2026-11-21T24:00Z",
                           "2026-11-21T18:60Z",
                           "2026-11-21T18:00:60Z",
                           "2026-11-21T18:00:Z",
                           "2026-11-21T18Z",
                           "2026-11-21T18:00z",
                           "2026-11-21T18:00+01:00 ",
                           "2026-11-21T18:00+14:01",
                           "2026-11-21T18:00+01",
                           "2026-11-21T18:00 Z",
                           "2026-02-30T18:00Z",
                           "2026-11-21Z",
                           "2026-11-21+01:00",
                           "2026-11-21T-1:00Z",
                           "2026-11-21T18:00:00.5Z"})
    EXPECT_EQ(timestamp_of(text), "none") << text;
}

}  // namespace
}  // namespace lectern
