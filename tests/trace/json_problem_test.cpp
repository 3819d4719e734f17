#include "trace/json_problem.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lectern {
namespace {

TEST(JsonProblem, AgreesWithAnotherParserOnWhatIsJson) {
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

                                          "0." + std::string(400, '9')};
  for (const std::string& text : texts) {
    EXPECT_EQ(json_error(text).empty(), nlohmann::json::accept(text)) << text;
  }
}

TEST(JsonProblem, DepthIsLimited) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(json_error(nested(100)), "");
  EXPECT_NE(json_error(nested(100'000)), "");
}

TEST(JsonProblem, SaysWhereItIsWrong) {
  EXPECT_NE(json_error("[1,\n  x]").find('2'), std::string::npos) << json_error("[1,\n  x]");
}

}  // namespace
}  // namespace lectern
