#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_scan.h"
#include "base/json_text.h"

namespace lectern {
namespace {

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

template <typename T>
std::string real(T value) {
  std::string out;
  append_real(out, value);
  return out;
}

TEST(JsonText, EveryByteComesBackOrIsReplaced) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = {'a', static_cast<char>(byte), 'b'};
    const std::string json = json_string(text);
    EXPECT_EQ(json.find('\n'), std::string::npos);
    const auto read = nlohmann::json::parse(json).get<std::string>();
    EXPECT_EQ(read, byte < 128 ? text
                               : "a\xEF\xBF\xBD"
                                 "b")
        << byte;
  }
}

TEST(JsonText, StringsThatAreNotUtf8AreBytes) {
  std::string out;
  append_string_value(out, "\xE4\xBD");
  EXPECT_EQ(out, R"({"bytes":"e4bd"})");
  out.clear();
  append_string_value(out, "你");
  EXPECT_EQ(out, "\"你\"");
}

TEST(JsonText, RealsAreShortestAndLookReal) {
  EXPECT_EQ(real(1.0), "1.0");
  EXPECT_EQ(real(0.1), "0.1");
  EXPECT_EQ(real(0.1F), "0.1");
  EXPECT_EQ(real(-0.0), "-0.0");
  EXPECT_EQ(real(std::nan("")), R"({"float":"nan"})");
  EXPECT_EQ(real(-std::numeric_limits<float>::infinity()), R"({"float":"-inf"})");
  for (const double value : {1e300, 5e-324, 1.0 / 3, 123456789.0, 1e22, 1e23}) {
    const std::string text = real(value);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value);
    EXPECT_NE(text.find_first_of(".e"), std::string::npos) << text;
  }
}

TEST(JsonScanner, AgreesWithAnotherParserOnWhatIsJson) {
  const std::vector<std::string> texts = {"null",
                                          "true",
                                          "[]",
                                          "{}",
                                          "[1,2]",
                                          R"({"a":[{"b":-1.5e-3}]})",
                                          "\"\\u00e9\\n\"",
                                          " 1 ",
                                          "",
                                          "nul",
                                          "[1,]",
                                          "{\"a\"}",
                                          "{\"a\":1,}",
                                          "01",
                                          "1.",
                                          ".5",
                                          "+1",
                                          "1e",
                                          "\"\x01\"",
                                          "\"\\x\"",
                                          "[1 2]",
                                          "{a:1}",
                                          "'a'",
                                          "1 2",
                                          "[",
                                          "{\"a\":",
                                          "\"abc",
                                          "tru",
                                          "-",
                                          "\"\\u12\"",
                                          "NaN",
                                          "\"\\ud83d\\ude00\"",
                                          "\"\\ud800\"",
                                          "\"\\udc00\"",
                                          "\"\\ud800\\ud800\"",
                                          "\"\\ud800\\n\"",
                                          "1e308",
                                          "1e309",
                                          "-1e99999",
                                          "1e-99999",
                                          std::string(400, '9'),
                                          "0." + std::string(400, '9')};
  for (const std::string& text : texts) {
    EXPECT_EQ(json_error(text).empty(), nlohmann::json::accept(text)) << text;
  }
}

TEST(JsonScanner, DepthIsLimited) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(json_error(nested(100)), "");
  EXPECT_NE(json_error(nested(100'000)), "");
}

TEST(JsonScanner, SaysWhereItIsWrong) {
  EXPECT_NE(json_error("[1,\n  x]").find('2'), std::string::npos) << json_error("[1,\n  x]");
}

}  // namespace
}  // namespace lectern
