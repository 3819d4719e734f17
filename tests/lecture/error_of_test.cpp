#include "lecture/error_of.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(ErrorOf, IsWhatTheExceptionSays) {
  EXPECT_EQ(error_of([] { throw std::out_of_range("there is no third"); }), "there is no third");
  EXPECT_EQ(error_of([]() -> int { throw std::runtime_error("no number"); }), "no number");
}

TEST(ErrorOf, IsEmptyWhenNothingIsThrown) {
  int calls = 0;
  EXPECT_EQ(error_of([&] { return ++calls; }), "");
  EXPECT_EQ(calls, 1);
}

TEST(ErrorOf, LetsPassWhatIsNoException) {
  EXPECT_THROW(error_of([] { throw 3; }), int);
}

}  // namespace
}  // namespace lectern
