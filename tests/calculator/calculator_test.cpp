#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "calculator/calculator_function.h"
#include "calculator/chart.h"
#include "calculator/registry.h"
#include "calculator/result_json.h"

namespace lectern {
namespace {

using calculation::parse_number;

double number(std::string_view text) {
  const calculation::TypedNumber parsed = parse_number(text);
  EXPECT_TRUE(std::holds_alternative<double>(parsed)) << text;
  return std::holds_alternative<double>(parsed) ? std::get<double>(parsed) : std::nan("");
}

TEST(CalculatorInputs, AreNumbersAsPeopleTypeThem) {
  EXPECT_EQ(number("70B"), 70e9);
  EXPECT_EQ(number("1.7T"), 1.7e12);
  EXPECT_EQ(number("0.3G"), 0.3e9);
  EXPECT_EQ(number("12k"), 12e3);
  EXPECT_EQ(number("2.5e3M"), 2.5e9);
  EXPECT_EQ(number("40%"), 0.4);
  EXPECT_EQ(number(" 1 024 "), 1024);
  EXPECT_EQ(number("1,024"), 1024);
  EXPECT_EQ(number("-12,345,678.5"), -12345678.5);
  EXPECT_EQ(number("6.02e+23"), 6.02e23);
  EXPECT_EQ(number(".5"), 0.5);
}

TEST(CalculatorInputs, SayWhatIsWrongWithThem) {
  for (const char* text : {"", " ", "abc", "1e", "--1", "1.2.3", "0x10", "nan", "inf", "1e999", "1,5",
                           "12,34", ",123", "1,2345", "1,234,5", "B", "%", "1,,000", "1e5B6"}) {
    const calculation::TypedNumber parsed = parse_number(text);
    ASSERT_TRUE(std::holds_alternative<std::string>(parsed)) << text;
    EXPECT_FALSE(std::get<std::string>(parsed).empty());
  }
}

CalculatorResult sum(double a, std::int64_t b, bool twice, std::string_view unit) {
  CalculatorResult out;
  out.expect("a", a, 0, 100);
  const double total = (a + static_cast<double>(b)) * (twice ? 2 : 1);
  out.show("Sum", rounded_number(total) + " " + std::string(unit), total);
  return out;
}
LECTERN_CALCULATOR(sum, a, b, twice, unit);

CalculatorResult call(std::vector<std::string_view> inputs) {
  for (const calculation::Registered& each : calculation::registry()) {
    if (each.name == "sum") return each.call(inputs);
  }
  ADD_FAILURE() << "sum is not registered";
  return {};
}

TEST(CalculatorFunctions, AreRegisteredWithTheirParameters) {
  const auto& all = calculation::registry();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].parameters, "a, b, twice, unit");
  EXPECT_EQ(all[0].kinds, (std::vector<std::string_view>{"number", "integer", "switch", "text"}));
  EXPECT_TRUE(all[0].file.ends_with("calculator_test.cpp"));
}

TEST(CalculatorFunctions, GetWhatWasTyped) {
  const CalculatorResult result = call({"1.5", "1k", "true", "kg"});
  ASSERT_EQ(result.quantities.size(), 1u);
  EXPECT_EQ(result.quantities[0].text, "2,003 kg");
  EXPECT_EQ(result.quantities[0].value, 2003);
}

TEST(CalculatorFunctions, AreNotCalledWithWhatCannotBeRead) {
  const CalculatorResult result = call({"x", "0.5", "true", "kg"});
  ASSERT_EQ(result.problems.size(), 2u);
  EXPECT_EQ(result.problems[0].input, "a");
  EXPECT_EQ(result.problems[1].input, "b");
  EXPECT_TRUE(result.quantities.empty());
  EXPECT_EQ(call({"1", "1e17", "", ""}).problems.size(), 1u) << "beyond what a double counts";
}

TEST(CalculatorFunctions, GiveProblemsOrResults) {
  const CalculatorResult result = call({"101", "1", "false", ""});
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].text, "must lie between 0 and 100");
  EXPECT_TRUE(result.quantities.empty()) << "what it shows all the same is dropped";
}

TEST(CalculatorTexts, HaveAsManyDigitsAsAReaderWants) {
  EXPECT_EQ(rounded_number(0), "0");
  EXPECT_EQ(rounded_number(12345), "12,345");
  EXPECT_EQ(rounded_number(-999999), "−999,999");
  EXPECT_EQ(rounded_number(3.14159), "3.142");
  EXPECT_EQ(rounded_number(12345.678), "12,350");
  EXPECT_EQ(rounded_number(1234567), "1,235,000");
  EXPECT_EQ(rounded_number(999999.5), "1,000,000");
  EXPECT_EQ(rounded_number(0.00012345), "0.0001234");
  EXPECT_EQ(rounded_number(0.000012345), "1.234 × 10⁻⁵");
  EXPECT_EQ(rounded_number(6.3e24), "6.3 × 10²⁴");
  EXPECT_EQ(rounded_number(1e18), "10¹⁸");
  EXPECT_EQ(rounded_number(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(rounded_number(std::nan("")), "not a number");
  EXPECT_EQ(rounded_count(70e9), "70 billion");
  EXPECT_EQ(rounded_count(1.28e9), "1.28 billion");
  EXPECT_EQ(rounded_count(1024), "1,024");
  EXPECT_EQ(rounded_bytes(640), "640 B");
  EXPECT_EQ(rounded_bytes(80e9), "80 GB");
  EXPECT_EQ(rounded_duration(143.93 * 86400), "143.9 days");
  EXPECT_EQ(rounded_duration(60), "1 minute");
  EXPECT_EQ(rounded_duration(1.00001 * 3600), "1 hour");
  EXPECT_EQ(rounded_duration(86400), "1 day");
  EXPECT_EQ(rounded_duration(0.000138), "138 µs");
  EXPECT_EQ(rounded_duration(50 * 31557600.), "50 years");
}

TEST(CalculatorCharts, HaveRoundTicks) {
  const auto ticks = [](double from, double to, bool logarithmic) {
    return ChartScale{from, to, 0, 1, logarithmic}.ticks();
  };
  EXPECT_EQ(ticks(0, 10, false), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(0.1, 1e4, true), (std::vector<double>{0.1, 1, 10, 100, 1000, 10000}));
  const std::vector<double> wide = ticks(1e-46, 1e40, true);
  EXPECT_LE(wide.size(), 7u);
  EXPECT_NE(std::find(wide.begin(), wide.end(), 1), wide.end());
}

TEST(CalculatorCharts, OfNoRangeHaveFewTicksOrNone) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const bool logarithmic : {false, true}) {
    const std::pair<double, double> ranges[] = {
        {kInfinity, kInfinity}, {1, kInfinity}, {0, 0}, {3, 1}, {std::nan(""), 1}};
    for (const auto& [from, to] : ranges)
      EXPECT_EQ((ChartScale{from, to, 0, 1, logarithmic}.ticks()), std::vector<double>())
          << from << " " << to;
  }
  EXPECT_LE((ChartScale{1e17, 1e17 + 32}.ticks().size()), 7U) << "one more is the same number here";
}

TEST(CalculatorCharts, CutOffWhatLiesBeyondTheirBorders) {
  Chart chart("a line", {.label = "x", .from = 1, .to = 100, .logarithmic = true}, {.label = "y"});
  chart.line({{0.01, 0}, {1e9, 5}}, 1);
  const CalculatorDrawing& drawing = chart.drawing();
  for (const double point : drawing.shapes.back().points) {
    EXPECT_GE(point, 0);
    EXPECT_LE(point, drawing.width);
  }
}

TEST(CalculatorResults, AreJsonWhateverTheyHold) {
  CalculatorResult result;
  result.show("\"label\"\\", "a\nb\x01", std::numeric_limits<double>::infinity());
  const std::string json = calculation::result_json(result);
  EXPECT_NE(json.find(R"("label":"\"label\"\\","text":"a\u000ab\u0001","value":null)"), std::string::npos)
      << json;
}

}  // namespace
}  // namespace lectern
