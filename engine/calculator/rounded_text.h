#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/noun.h"

/// Numbers as calculators show them. The same text natively and in WebAssembly: each rounds the exact value
/// of the double once.
namespace lectern {

namespace calculation {

/// "%.*g" or its like of one number.
inline std::string printed(const char* format, int digits, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, digits, value);
  return text;
}

/// Commas between groups of three digits of an integer part.
inline std::string with_commas(std::string text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = text.find('.');
  std::size_t at = point == std::string::npos ? text.size() : point;
  while (at > first + 3) text.insert(at -= 3, 1, ',');
  return text;
}

inline std::string superscript(int number) {
  constexpr std::array<std::string_view, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number)))
    out += kDigits[static_cast<std::size_t>(digit - '0')];
  return out;
}

}  // namespace calculation

/// With so many significant digits: "0.001235", "12.35", "1,235,000", "3.15 × 10²³". An integer below 10⁶
/// has all its digits.
inline std::string rounded_number(double value, int digits = 4) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (value < 0) return "−" + rounded_number(-value, digits);
  if (value == 0) return "0";
  if (value < 1e6 && value == std::trunc(value))
    return calculation::with_commas(calculation::printed("%.*f", 0, value));
  const std::string exponential = calculation::printed("%.*e", digits - 1, value);
  const std::size_t e = exponential.find('e');
  const int exponent = std::atoi(exponential.c_str() + e + 1);
  if (exponent < -4 || exponent >= 9) {
    std::string mantissa = exponential.substr(0, e);
    if (mantissa.find('.') != std::string::npos) {
      while (mantissa.back() == '0') mantissa.pop_back();
      if (mantissa.back() == '.') mantissa.pop_back();
    }
    return (mantissa == "1" ? "" : mantissa + " × ") + "10" + calculation::superscript(exponent);
  }
  if (exponent >= digits) {
    const double unit = std::pow(10., exponent + 1 - digits);
    return calculation::with_commas(calculation::printed("%.*f", 0, std::round(value / unit) * unit));
  }
  return calculation::with_commas(calculation::printed("%.*g", digits, value));
}

namespace calculation {

struct Unit {
  double size;
  std::string_view name;
  std::string_view of_one = name;
};
/// In the largest unit that it reaches, else the first; units ascend.
template <std::size_t N>
std::string in_units(double value, const std::array<Unit, N>& units, int digits) {
  const Unit* unit = units.data();
  for (const Unit& each : units) {
    if (value >= each.size) unit = &each;
  }
  return with_noun(rounded_number(value / unit->size, digits), unit->of_one, unit->name);
}

}  // namespace calculation

/// "12.6 billion", "253 billion", "1.5 trillion"; below a million "12,345".
inline std::string rounded_count(double count, int digits = 3) {
  constexpr std::array<calculation::Unit, 3> kUnits{{{1e6, "million"}, {1e9, "billion"}, {1e12, "trillion"}}};
  return count >= 1e6 && count < 1e15 ? calculation::in_units(count, kUnits, digits) : rounded_number(count);
}

/// In decimal units: "640 B", "1.5 kB", "80 GB".
inline std::string rounded_bytes(double bytes, int digits = 4) {
  constexpr std::array<calculation::Unit, 6> kUnits{
      {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}}};
  return calculation::in_units(bytes, kUnits, digits);
}

/// "12.5 µs", "3.2 hours", "144 days", "2.5 years" of 365.25 days.
inline std::string rounded_duration(double seconds, int digits = 4) {
  constexpr std::array<calculation::Unit, 8> kUnits{{{1e-9, "ns"},
                                                     {1e-6, "µs"},
                                                     {1e-3, "ms"},
                                                     {1, "s"},
                                                     {60, "minutes", "minute"},
                                                     {3600, "hours", "hour"},
                                                     {86400, "days", "day"},
                                                     {2 * 31557600., "years"}}};
  if (seconds >= kUnits.back().size) return rounded_number(seconds / 31557600, digits) + " years";
  return calculation::in_units(seconds, kUnits, digits);
}

}  // namespace lectern
