#include "data/prefetcher.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(Prefetcher, KeepsTheOrder) {
  int made = 0;  // by the other thread alone
  Prefetcher<std::vector<int>> prefetcher([&] { return std::vector<int>(100, made++); }, 3);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(prefetcher.next(), std::vector<int>(100, i));
}

TEST(Prefetcher, GoesAheadSoFarAndNoFurther) {
  std::atomic<int> made = 0;
  Prefetcher<int> prefetcher([&] { return ++made; }, 3);
  const auto settle = [&](int expected) {
    for (int i = 0; i < 2'000 && made < expected; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(made, expected);
  };
  settle(3);
  EXPECT_EQ(prefetcher.next(), 1);
  settle(4);
}

TEST(Prefetcher, AnExceptionComesInItsPlaceAndStays) {
  int made = 0;
  Prefetcher<int> prefetcher([&] { return ++made < 3 ? made : throw std::runtime_error("no more"); }, 8);
  EXPECT_EQ(prefetcher.next(), 1);
  EXPECT_EQ(prefetcher.next(), 2);
  EXPECT_THROW(prefetcher.next(), std::runtime_error);
  EXPECT_THROW(prefetcher.next(), std::runtime_error);
}

TEST(Prefetcher, EndsWhenItIsFullAndWhenItIsNot) {
  for (int i = 0; i < 100; ++i) {
    Prefetcher<int> prefetcher([] { return 1; }, 2);
    for (int j = 0; j < i % 4; ++j) prefetcher.next();
  }
}

}  // namespace
}  // namespace lectern
