#include <fmt/format.h>

#include "check/report.h"

namespace lectern {
namespace {

/// A workflow command is one line: what would end it, or one of its properties, is escaped as GitHub expects.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (const char c : text) {
    const bool separates = property && (c == ':' || c == ',');
    if (c == '%' || c == '\r' || c == '\n' || separates) {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

std::string annotation(const std::string& properties, const std::string& title, const std::string& message) {
  return fmt::format("::error {}title={}::{}\n", properties, escaped(title, true), escaped(message, false));
}

}  // namespace

std::string github_report(const Report& report) {
  std::string text;
  for (const LectureReport& lecture : report.lectures) {
    if (!lecture.failure.empty()) text += annotation("", report_name(lecture), lecture.failure);
    for (const Difference& item : lecture.diff.items) {
      const DifferencePlace& place = main_place(item);
      const std::string properties =
          place.line > 0
              ? fmt::format("file={},line={},", escaped(source_path(lecture, place), true), place.line)
              : "";
      const std::string times = often_text(item), often = times.empty() ? "" : " (" + times + ")";
      text += annotation(properties, fmt::format("{}: {}", report_name(lecture), to_string(item.kind)),
                         fmt::format("{}: {}{} #{}", item.subject, item.message, often, item.id));
    }
  }
  return text;
}

}  // namespace lectern
