// Whatever two traces come, separated by a zero byte: they can be compared and reported, each is the same as
// itself, and accepting every item leaves no difference of values.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "check/accept.h"
#include "check/report.h"
#include "trace/reader.h"

namespace {

std::optional<lectern::Trace> read(std::string_view text) {
  try {
    return lectern::parse_trace(text, "fuzz.json");
  } catch (const lectern::Error&) {
    return std::nullopt;
  }
}

void expect_same(const lectern::Trace& trace) {
  const lectern::Diff diff = lectern::diff_traces(trace, trace);
  if (diff.same()) return;
  std::fprintf(stderr, "not the same as itself: %s\n", diff.items[0].message.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = text.find('\0');
  const auto before = read(text.substr(0, middle));
  if (before) expect_same(*before);
  const auto now = read(middle == std::string_view::npos ? "" : text.substr(middle + 1));
  if (now) expect_same(*now);
  if (!before || !now) return 0;

  lectern::Report report;
  report.lectures.push_back({.diff = lectern::diff_traces(*before, *now)});
  text_report(report, {.color = true});
  json_report(report);
  github_report(report);
  std::set<std::string> ids;
  for (const lectern::Difference& item : report.lectures[0].diff.items) ids.insert(item.id);
  if (!ids.empty()) accept_items(*before, *now, {}, ids);
  return 0;
}
