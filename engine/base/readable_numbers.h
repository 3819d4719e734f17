#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lectern {

/// A number as a reader sees it: every digit of an integer, of a real number the shortest text that reads
/// back as the same one ("0.30000000000000004", "3.0", "1.05e24"); separators from 1e6, typographic minus.
std::string show_number(std::int64_t value);
std::string show_number(std::uint64_t value);
std::string show_number(double value);

/// A count: "1,234".
std::string with_separators(std::uint64_t value);

/// "1 step", "1,000 steps".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

/// "21 November 2026" of "2026-11-21", "November 2026" of "2026-11", "21 November 2026, 18:00 UTC+1" of
/// "2026-11-21T18:00+01:00"; anything else as it stands.
std::string show_date(std::string_view date);

}  // namespace lectern
