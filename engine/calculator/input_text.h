#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// What a reader types into the fields of a calculator.
namespace lectern::calculation {

/// A number, or what is wrong with the text.
using TypedNumber = std::variant<double, std::string>;

/// Without spaces and underscores, and without commas between groups of three digits: "1 024", "1,024".
inline std::optional<std::string> without_separators(std::string_view text) {
  std::string out;
  std::optional<int> group;  // digits since the last comma
  bool digits_before = false;
  for (const char c : text) {
    if (c == ' ' || c == '_') continue;
    const bool digit = c >= '0' && c <= '9';
    if (c == ',') {
      if (!digits_before || (group && *group != 3)) return {};
      group = 0;
      continue;
    }
    if (!digit && group && *group != 3) return {};
    if (!digit) group.reset();
    if (group) ++*group;
    digits_before = digit;
    out += c;
  }
  if (group && *group != 3) return {};
  return out;
}

/// "70B", "1.5T", "12k", "6.7e10", "1,024", "40%": k, M, B or G, and T are powers of a thousand.
inline TypedNumber parse_number(std::string_view typed) {
  const std::optional<std::string> kept = without_separators(typed);
  if (!kept) return "commas stand between groups of three digits; write a point before decimals";
  std::string text = *kept;
  if (text.empty()) return "enter a number";
  double factor = 1;
  constexpr std::string_view kSuffixes = "kKMBGT%";
  constexpr double kFactors[] = {1e3, 1e3, 1e6, 1e9, 1e9, 1e12, 0.01};
  if (const std::size_t suffix = kSuffixes.find(text.back()); suffix != std::string_view::npos) {
    factor = kFactors[suffix];
    text.pop_back();
  }
  constexpr const char* kNotANumber = "enter a number, like 70e9 or 70B";
  if (text.find_first_not_of("0123456789.eE+-") != std::string::npos) return kNotANumber;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return kNotANumber;
  if (!std::isfinite(number * factor)) return "too large";
  // 70B is the double nearest to 7e10, also where 70 has a fraction: 1.7T is 1.7e12, not its neighbour.
  if (factor > 1 && text.find_first_of("eE") == std::string::npos) {
    const char* const exponent = factor == 1e3 ? "e3" : factor == 1e6 ? "e6" : factor == 1e9 ? "e9" : "e12";
    return std::strtod((text + exponent).c_str(), nullptr);
  }
  return number * factor;
}

}  // namespace lectern::calculation
