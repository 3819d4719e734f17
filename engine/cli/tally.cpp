#include "cli/tally.h"

#include <charconv>

namespace lectern::cli {
namespace {

/// The value of an attribute within one XML tag, entities and all; empty when it has none of that name.
std::string_view attribute(std::string_view tag, std::string_view name) {
  const std::string key = ' ' + std::string(name) + "=\"";
  const auto begin = tag.find(key);
  if (begin == std::string_view::npos) return {};
  const auto value = tag.substr(begin + key.size());
  return value.substr(0, value.find('"'));
}

std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

int number_after(std::string_view line, std::string_view prefix) {
  int number = 0;
  if (line.starts_with(prefix))
    std::from_chars(line.data() + prefix.size(), line.data() + line.size(), number);
  return number;
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  passed += other.passed;
  failed += other.failed;
  skipped += other.skipped;
  failures.insert(failures.end(), other.failures.begin(), other.failures.end());
  return *this;
}

std::string to_string(const Tally& tally) {
  return std::to_string(tally.passed) + " passed, " + std::to_string(tally.failed) + " failed, " +
         std::to_string(tally.skipped) + " skipped";
}

Tally tally_of_junit(std::string_view xml) {
  Tally tally;
  constexpr std::string_view opening = "<testcase ";
  for (auto begin = xml.find(opening); begin != std::string_view::npos;) {
    const auto next = xml.find(opening, begin + opening.size());
    const std::string_view test = xml.substr(begin, next == std::string_view::npos ? next : next - begin);
    const std::string_view tag = test.substr(0, test.find('>'));
    const std::string_view status = attribute(tag, "status");
    if (status == "run") {
      ++tally.passed;
    } else if (status == "disabled" || test.find("<skipped message=\"SKIP_") != std::string_view::npos) {
      ++tally.skipped;
    } else {
      ++tally.failed;
      tally.failures.emplace_back(attribute(tag, "name"));
    }
    begin = next;
  }
  return tally;
}

Tally tally_of_tap(std::string_view tap) {
  Tally tally;
  while (!tap.empty()) {
    const std::string_view line = next_line(tap);
    tally.passed += number_after(line, "# pass ");
    tally.failed += number_after(line, "# fail ") + number_after(line, "# cancelled ");
    tally.skipped += number_after(line, "# skipped ") + number_after(line, "# todo ");
    const auto begin = line.find_first_not_of(' ');
    constexpr std::string_view bad = "not ok ";
    if (begin == std::string_view::npos || !line.substr(begin).starts_with(bad)) continue;
    const auto name = line.find(" - ");
    if (name != std::string_view::npos) tally.failures.emplace_back(line.substr(name + 3));
  }
  return tally;
}

}  // namespace lectern::cli
