#include "base/readable_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <regex>

#include "base/number_text.h"

namespace lectern {
namespace {

constexpr double kSeparatorsFrom = 1e6;
constexpr double kScientificFrom = 1e12;
constexpr double kScientificBelow = 1e-4;
constexpr std::string_view kMinus = "\u2212";

std::string group_digits(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string trim_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string formatted(double value, std::chars_format format, int precision) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, format, precision).ptr};
}

/// "1.05e24" with up to six significant digits.
std::string scientific(double magnitude) {
  const std::string text = formatted(magnitude, std::chars_format::scientific, 5);
  const std::size_t e = text.find('e');
  return trim_zeros(text.substr(0, e)) + "e" + std::to_string(std::stoi(text.substr(e + 1)));
}

std::string with_sign(bool negative, const std::string& magnitude) {
  return negative ? std::string(kMinus) + magnitude : magnitude;
}

double read_number(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

ShownNumber show_integer(bool negative, std::uint64_t magnitude) {
  const std::string digits = std::to_string(magnitude);
  if (static_cast<double>(magnitude) < kSeparatorsFrom) return {with_sign(negative, digits), {}};
  const std::string exact = with_sign(negative, group_digits(digits));
  if (static_cast<double>(magnitude) < kScientificFrom) return {exact, {}};
  const std::string text = scientific(static_cast<double>(magnitude));
  // Six digits and a power of ten are exact in a double; a magnitude need not be.
  const double said = read_number(text);
  const bool all_said = said < 0x1p64 && static_cast<std::uint64_t>(said) == magnitude;
  return {with_sign(negative, text), all_said ? std::string() : exact};
}

/// The shortest text that reads back as the same number, and is no integer's.
std::string shortest(double magnitude) {
  std::string text = number_text(magnitude);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  text.erase(std::remove(text.begin(), text.end(), '+'), text.end());
  return text;
}

}  // namespace

ShownNumber show_number(std::uint64_t value) {
  return show_integer(false, value);
}

ShownNumber show_number(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return show_integer(value < 0, value < 0 ? 0 - bits : bits);
}

ShownNumber show_number(double value) {
  if (std::isnan(value)) return {"NaN", {}};
  const bool negative = std::signbit(value);
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return {with_sign(negative, "\u221E"), {}};
  std::string text;
  if (magnitude != 0 && (magnitude >= kScientificFrom || magnitude < kScientificBelow)) {
    text = scientific(magnitude);
  } else if (magnitude >= kSeparatorsFrom) {
    text = trim_zeros(formatted(magnitude, std::chars_format::fixed, 2));
    const std::size_t point = std::min(text.find('.'), text.size());
    text = group_digits(text.substr(0, point)) + text.substr(point);
  } else {
    text = formatted(magnitude, std::chars_format::general, 6);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
  }
  const bool all_said = read_number(text) == magnitude;
  return {with_sign(negative, text), all_said ? std::string() : with_sign(negative, shortest(magnitude))};
}

std::string with_separators(std::uint64_t value) {
  return group_digits(std::to_string(value));
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return with_separators(count).append(" ").append(count == 1 ? one : many);
}

std::string show_date(std::string_view date) {
  constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                        "May",       "June",     "July",     "August",
                                                        "September", "October",  "November", "December"};
  static const std::regex kForm("([0-9]{4})-([0-9]{2})(-([0-9]{2}))?");
  std::cmatch parts;
  if (!std::regex_match(date.data(), date.data() + date.size(), parts, kForm)) return std::string(date);
  const int month = std::stoi(parts.str(2)), day = parts[4].matched ? std::stoi(parts.str(4)) : 1;
  if (month < 1 || month > 12 || day < 1 || day > 31) return std::string(date);
  std::string text(kMonths[static_cast<std::size_t>(month - 1)]);
  text.append(" ").append(std::to_string(std::stoi(parts.str(1))));
  return parts[4].matched ? std::to_string(day) + " " + text : text;
}

}  // namespace lectern
