#include "lecture/checks.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "lecture/rendering.h"

namespace lectern {
namespace {

/// The number that these digits are; -1 when they are not digits.
int number(std::string_view digits) {
  int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

int days_in(int year, int month) {
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

bool is_blank_or_control(char c) {
  return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
}

}  // namespace

bool is_date(std::string_view text) {
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
  const int year = number(text.substr(0, 4));
  if (year < 1) return false;
  if (text.size() == 4) return true;
  const int month = number(text.substr(5, 2));
  if (text[4] != '-' || month < 1 || month > 12) return false;
  if (text.size() == 7) return true;
  const int day = number(text.substr(8, 2));
  return text[7] == '-' && day >= 1 && day <= days_in(year, month);
}

std::string url_scheme(std::string_view url) {
  const std::size_t end = url.find_first_of(":/?#");
  if (end == std::string_view::npos || url[end] != ':') return {};
  std::string scheme(url.substr(0, end));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return scheme.empty() ? ":" : scheme;
}

void check_url(const std::string& hook, std::string_view url) {
  const std::string shown = hook + ": \"" + std::string(url) + "\" ";
  if (url.empty()) refuse(hook + ": the address is empty; give a URL");
  if (std::any_of(url.begin(), url.end(), is_blank_or_control)) {
    refuse(shown + "has a blank in it; write blanks in a URL as %20");
  }
  const std::string scheme = url_scheme(url);
  if (!scheme.empty() && scheme != "http" && scheme != "https" && scheme != "mailto") {
    refuse(shown + "is not an address that a page may link to; use http, https, mailto or a relative URL");
  }
}

}  // namespace lectern
