#include "device/size_class.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(SizeClass, HoldsWhatWasAskedForAndWastesAtMostAnEighth) {
  for (std::size_t units = 1; units < 100'000; ++units) {
    const std::size_t size = class_units(size_class(units));
    ASSERT_GE(size, units);
    ASSERT_LE(size - units, units / 8) << units;
  }
}

TEST(SizeClass, ClassesAreNumberedWithoutGaps) {
  for (std::size_t index = 1; index < 400; ++index) {
    ASSERT_EQ(size_class(class_units(index)), index);
    ASSERT_EQ(size_class(class_units(index) + 1), index + 1);
  }
}

TEST(SizeClass, HasEightStepsPerDoubling) {
  EXPECT_EQ(class_units(16), 16U);
  EXPECT_EQ(class_units(17), 18U);
  EXPECT_EQ(class_units(24), 32U);
  EXPECT_EQ(class_units(25), 36U);
  EXPECT_EQ(size_class(2048) - size_class(1024), 8U);
}

}  // namespace
}  // namespace lectern
