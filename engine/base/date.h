#pragma once

#include <string_view>

namespace lectern {

/// YYYY, YYYY-MM or YYYY-MM-DD of the Gregorian calendar.
bool is_date(std::string_view text);

/// YYYY-MM-DD.
inline bool is_day(std::string_view text) {
  return text.size() == 10 && is_date(text);
}

}  // namespace lectern
