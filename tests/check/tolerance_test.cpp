#include "check/tolerance.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/terminal.h"
#include "check/excerpt.h"

namespace lectern {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Close, AddsTheAbsoluteToTheRelativeTolerance) {
  EXPECT_TRUE(is_close(100, 100.9, {0.01, 0}));
  EXPECT_FALSE(is_close(100, 101.1, {0.01, 0}));
  EXPECT_TRUE(is_close(100, 101.1, {0.01, 0.2}));
  EXPECT_TRUE(is_close(0, 0.1, {0, 0.1}));
  EXPECT_FALSE(is_close(0, 1e-300, {1, 0}));
}

TEST(Close, HasRulesForWhatIsNoOrdinaryNumber) {
  EXPECT_TRUE(is_close(kNan, kNan, {0, 0}));
  EXPECT_FALSE(is_close(kNan, 0, {1, 1e9}));
  EXPECT_TRUE(is_close(kInf, kInf, {0, 0}));
  EXPECT_FALSE(is_close(kInf, -kInf, {1, 1e9}));
  EXPECT_FALSE(is_close(1e308, kInf, {1, 1e308}));
  EXPECT_TRUE(is_close(0.0, -0.0, {0, 0}));
}

TEST(DefaultTolerance, GoesByTheWordsOfAType) {
  EXPECT_EQ(default_tolerance("double").rel, 1e-7);
  EXPECT_EQ(default_tolerance("float").rel, 1.3e-6);
  EXPECT_EQ(default_tolerance("std::vector<float>").rel, 1.3e-6);
  EXPECT_EQ(default_tolerance("std::map<std::string, double>").rel, 1e-7);
  EXPECT_EQ(default_tolerance("bfloat16").rel, 1.6e-2);
  EXPECT_EQ(default_tolerance("float16").rel, 1e-3);
  EXPECT_EQ(default_tolerance("float8_e4m3fn").rel, 0.125);
  EXPECT_EQ(default_tolerance("my_float_thing").rel, default_tolerance("").rel);
}

TEST(Tolerances, TheStatementsComesBeforeTheCommandLines) {
  const std::vector<SiteTolerance> site{{.names = {"x"}, .rel = 0.5, .abs = {}},
                                        {.names = {"*"}, .rel = {}, .abs = 3}};
  Tolerances tolerances{.rel = 0.1, .abs = 0.2};
  EXPECT_EQ(tolerances.find("x", "float").rel, 0.1);
  tolerances.site = &site;
  EXPECT_EQ(tolerances.find("x", "float").rel, 0.5);
  EXPECT_EQ(tolerances.find("x", "float").abs, 3);
  EXPECT_EQ(tolerances.find("y", "float").rel, 0.1);
  EXPECT_TRUE(tolerances.covers_all());
}

TEST(TextChange, ShowsWhatDiffersAndWhatStandsAroundIt) {
  EXPECT_EQ(text_change("a b c", "a x c"), "a b c → a x c");
  EXPECT_EQ(text_change("", "new"), "nothing → new");
  const std::string before(200, 'a'), behind(200, 'z');
  const std::string change = text_change(before + "OLD" + behind, before + "NEW" + behind);
  EXPECT_NE(change.find("OLD"), std::string::npos) << change;
  EXPECT_NE(change.find("NEW"), std::string::npos) << change;
  EXPECT_LT(change.size(), 160U);
}

TEST(TextChange, CutsNoCharacterInTwo) {
  EXPECT_EQ(text_change("é", "è"), "é → è");
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string around(i, 'a');
    const std::string change = text_change(around + "日本語" + around, around + "日木語" + around);
    EXPECT_EQ(one_line(change), change);
    EXPECT_EQ(change.find("\uFFFD"), std::string::npos) << change;
  }
}

TEST(SameButForNumbers, ComparesTheNumbersOnly) {
  EXPECT_TRUE(same_but_for_numbers("loss 0.1000 at 3", "loss 0.1001 at 3", {0.01, 0}));
  EXPECT_FALSE(same_but_for_numbers("loss 0.1 at 3", "loss 0.2 at 3", {0.01, 0}));
  EXPECT_FALSE(same_but_for_numbers("loss 0.1", "cost 0.1", {1, 1}));
  EXPECT_FALSE(same_but_for_numbers("1 2", "1", {1, 1}));
  EXPECT_TRUE(same_but_for_numbers("mean is -0.000", "mean is 0.000", {0, 0.01}));
  EXPECT_TRUE(same_but_for_numbers("mean 0.004,", "mean -0.004,", {0, 0.01}));
  EXPECT_FALSE(same_but_for_numbers("mean 0.02", "mean -0.02", {0, 0.01}));
  EXPECT_FALSE(same_but_for_numbers("a-1", "a1", {1, 9}));
  EXPECT_FALSE(same_but_for_numbers("3-1", "31", {1, 9}));
  EXPECT_TRUE(same_but_for_numbers("1e400 and 0.1", "1e400 and 0.1001", {0.01, 0}));
  EXPECT_FALSE(same_but_for_numbers("1e400", "1e401", {0.01, 0}));
}

}  // namespace
}  // namespace lectern
