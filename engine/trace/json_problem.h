#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lectern {

/// Why a text is not JSON that every reader of a trace accepts: RFC 8259, at most kDeepestJson levels deep,
/// numbers within a double's range, integers within 64 bits, no half of a surrogate pair.
struct JsonProblem {
  std::string what;
  std::size_t position;  ///< how much of the text was read
  bool ended;            ///< the text ends too early, and is valid so far
  /// Of a torn trace, the end of its last whole record; npos when no records begin.
  std::size_t whole_records;
};
inline constexpr int kDeepestJson = 200;

/// Nothing when there is none. Slower than reading: for texts that could not be read.
std::optional<JsonProblem> json_problem(std::string_view text);

/// Empty when `text` is JSON, otherwise what is wrong, with the line and column within `text`.
std::string json_error(std::string_view text);

}  // namespace lectern
