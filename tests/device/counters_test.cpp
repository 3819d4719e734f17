#include "device/counters.h"

#include <thread>

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(Counters, AScopeCountsWhatIsInIt) {
  count(1, 2);
  const CountScope outer;
  count(10, 20);
  const CountScope inner;
  count(100, 200);
  EXPECT_EQ(inner.counted(), (Counters{100, 200}));
  EXPECT_EQ(outer.counted(), (Counters{110, 220}));
}

TEST(Counters, ResettingBeginsAtZero) {
  count(1, 2);
  reset_counters();
  EXPECT_EQ(counters(), Counters{});
  count(3, 4);
  EXPECT_EQ(counters(), (Counters{3, 4}));
}

TEST(Counters, AThreadHasItsOwn) {
  const CountScope scope;
  std::thread([] {
    count(5, 6);
    EXPECT_EQ(counters(), (Counters{5, 6}));
  }).join();
  EXPECT_EQ(scope.counted(), Counters{});
}

}  // namespace
}  // namespace lectern
