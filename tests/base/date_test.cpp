#include "base/date.h"

#include <gtest/gtest.h>

#include "base/characters.h"

namespace lectern {
namespace {

TEST(Dates, AreThoseOfTheCalendar) {
  for (const char* date : {"2026", "2026-11", "2026-11-24", "2024-02-29", "2000-02-29", "0001-01-01"})
    EXPECT_TRUE(is_date(date)) << date;
  for (const char* text :
       {"", "0000", "26", "2026-", "2026-13", "2026-00", "2026-11-31", "2025-02-29", "1900-02-29",
        "2026-1-01", "2026/11/24", "2026-11-2x", "+026-11-24", "2026-11-24T"})
    EXPECT_FALSE(is_date(text)) << text;
  EXPECT_TRUE(is_day("2026-11-24"));
  EXPECT_FALSE(is_day("2026-11"));
}

TEST(Trim, TakesOffBlanksOnBothSides) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

}  // namespace
}  // namespace lectern
