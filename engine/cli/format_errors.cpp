#include "cli/format_errors.h"

#include <fmt/core.h>

#include "cli/compiler_line.h"

namespace lectern::cli {
namespace {

constexpr std::string_view kFormatClass = "lectern::FormatString<";

/// What g++ says first: FILE:5:7:   in 'constexpr' expansion of 'lectern::FormatString<int>("{:q}")'
bool begins_expansion(std::string_view line) {
  const auto at = line.find(" expansion of ");
  return at != std::string_view::npos && line.substr(at).find(kFormatClass) < sizeof(" expansion of ") + 4;
}

/// What clang says first: FILE:5:8: error: call to consteval function
/// 'lectern::FormatString<int>::FormatString<5UL>' …
bool begins_call(std::string_view line) {
  return has(line, ": error: call to consteval function '" + std::string(kFormatClass));
}

/// Lines that follow: where in {fmt} the format was refused, with that code.
bool is_detail(std::string_view line) {
  return line.starts_with(' ') || has(line, " expansion of ") || has(line, "note: in call to ") ||
         has(line, "/fmt/") || has(line, "lecture/format_string.h:");
}

}  // namespace

std::optional<std::string> FormatErrors::take(std::string_view line) {
  const bool call = begins_call(line);
  if (call || begins_expansion(line)) {
    inside_ = true;
    told_ = false;
    place_ = line.substr(0, call ? line.find(kErrorMark) : line.find(":  "));
    const auto begin = line.find("(\""), end = line.rfind("\")");
    const bool named = begin != std::string_view::npos && end != std::string_view::npos && begin < end;
    format_ = named ? std::string(line.substr(begin + 1, end - begin)) : std::string();
  } else if (inside_ && !is_detail(line)) {
    inside_ = false;
  }
  if (!inside_) return std::nullopt;
  if (told_ || !has(line, kErrorMark)) return std::string();
  told_ = true;
  return fmt::format("lectern: {}: the format{}{} {}", place_, format_.empty() ? "" : " ", format_,
                     problem(line));
}

std::string FormatErrors::problem(std::string_view line) const {
  if (has(line, "the_format_has_more_fields"))
    return "has more fields than there are arguments; give one for each {} and {:…}, and write {{}} for {}";
  if (has(line, "the_format_has_fewer_fields"))
    return "has fewer fields than there are arguments; write {} or {:…} for each";
  if (has(line, "a_field_of_the_format_is_not_closed")) return "has a field that is not closed; write its }";
  return "does not fit its arguments; each field's specification is one for its argument's type, as {:.2f} "
         "for "
         "a double";
}

}  // namespace lectern::cli
