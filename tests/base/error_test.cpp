#include "base/error.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(Error, NamesThePlaceAsFarAsItIsKnown) {
  EXPECT_STREQ(Error({"a.cpp", 3, 7}, "wrong").what(), "a.cpp:3:7: wrong");
  EXPECT_STREQ(Error({.file = "a.cpp", .line = 3}, "wrong").what(), "a.cpp:3: wrong");
  EXPECT_STREQ(Error({.file = "a.cpp"}, "wrong").what(), "a.cpp: wrong");
  EXPECT_STREQ(Error(Place{}, "wrong").what(), "wrong");
  EXPECT_STREQ(Error({"a.cpp", 0, 7}, "wrong").what(), "a.cpp: wrong");
}

}  // namespace
}  // namespace lectern
