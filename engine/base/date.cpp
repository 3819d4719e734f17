#include "base/date.h"

#include <algorithm>
#include <chrono>

#include "base/characters.h"

namespace lectern {
namespace {

/// The number that these digits spell; -1 when they are not digits.
int number(std::string_view digits) {
  if (!std::all_of(digits.begin(), digits.end(), is_digit)) return -1;
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

}  // namespace

bool is_date(std::string_view text) {
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
  if ((text.size() > 4 && text[4] != '-') || (text.size() > 7 && text[7] != '-')) return false;
  const int year = number(text.substr(0, 4));
  const int month = text.size() > 4 ? number(text.substr(5, 2)) : 1;
  const int day = text.size() > 7 ? number(text.substr(8, 2)) : 1;
  if (year < 1 || month < 1 || day < 1) return false;
  return std::chrono::year_month_day(std::chrono::year(year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

}  // namespace lectern
