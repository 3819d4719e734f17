#include "base/readable_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <regex>

#include "base/moment.h"
#include "base/noun.h"

namespace lectern {
namespace {

constexpr int kSeparatorsFrom = 1'000'000;
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

std::string shortest(double magnitude, std::chars_format format) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, magnitude, format).ptr};
}

/// "1.05e24"
std::string scientific(double magnitude) {
  const std::string text = shortest(magnitude, std::chars_format::scientific);
  const std::size_t e = text.find('e');
  return text.substr(0, e) + "e" + std::to_string(std::stoi(text.substr(e + 1)));
}

/// "1,234,567.5", "3.0"
std::string positional(double magnitude) {
  const std::string text = shortest(magnitude, std::chars_format::fixed);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string digits = text.substr(0, point);
  return (magnitude < kSeparatorsFrom ? digits : group_digits(digits)) +
         (point < text.size() ? text.substr(point) : ".0");
}

std::string with_sign(bool negative, const std::string& magnitude) {
  return negative ? std::string(kMinus) + magnitude : magnitude;
}

std::string show_integer(bool negative, std::uint64_t magnitude) {
  const std::string digits = std::to_string(magnitude);
  return with_sign(negative, magnitude < kSeparatorsFrom ? digits : group_digits(digits));
}

}  // namespace

std::string show_number(std::uint64_t value) {
  return show_integer(false, value);
}

std::string show_number(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return show_integer(value < 0, value < 0 ? 0 - bits : bits);
}

std::string show_number(double value) {
  if (std::isnan(value)) return "NaN";
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return with_sign(value < 0, "\u221E");
  const bool needs_exponent =
      magnitude != 0 && (magnitude >= kScientificFrom || magnitude < kScientificBelow);
  return with_sign(std::signbit(value), needs_exponent ? scientific(magnitude) : positional(magnitude));
}

std::string with_separators(std::uint64_t value) {
  return group_digits(std::to_string(value));
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return with_noun(with_separators(count), one, many);
}

std::string show_date(std::string_view date) {
  if (const auto moment = moment_of(date); moment && !moment->is_day)
    return show_date(date.substr(0, date.find('T'))) + ", " + show_time(*moment);
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
