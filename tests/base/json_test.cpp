#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace lectern
