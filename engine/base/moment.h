#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace lectern {

/// A day, or a time of one in a time zone.
struct Moment {
  std::chrono::sys_seconds begin;      ///< in UTC; of a day its midnight there
  std::chrono::minutes east_of_utc{};  ///< of the time zone
  bool is_day = true;
};

/// Reads YYYY-MM-DD, or with a time and its zone as RFC 3339 has them, of which seconds may be left out:
/// "2026-11-21T18:00+01:00", "2026-11-21T17:00:30Z". Nothing for any other text.
std::optional<Moment> moment_of(std::string_view text);

/// As RFC 3339 has it: "2026-11-21T18:00:00+01:00", of a day "2026-11-21T00:00:00Z".
std::string timestamp(const Moment& moment);

/// "18:00 UTC+1", "09:30 UTC+5:30", "17:00 UTC"; with its seconds where there are some.
std::string show_time(const Moment& moment);

}  // namespace lectern
