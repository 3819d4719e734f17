#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/readable_numbers.h"
#include "base/terminal.h"
#include "check/report.h"

namespace lectern {
namespace {

constexpr std::string_view kPlain = "\x1b[0m", kBold = "\x1b[1m", kDim = "\x1b[2m", kRed = "\x1b[31m",
                           kGreen = "\x1b[32m";

class TextReport {
 public:
  explicit TextReport(const TextStyle& style)
      : style_(style), remaining_(style.limit == 0 ? static_cast<std::size_t>(-1) : style.limit) {}

  std::string text(const Report& report) {
    for (const LectureReport& lecture : report.lectures) add(lecture);
    if (hidden_ > 0) text_ += fmt::format("{} more; --all shows them\n", counted(hidden_, "item", "items"));
    add_summary(report);
    return std::move(text_);
  }

 private:
  std::string colored(std::string_view color, std::string_view text) const {
    return style_.color ? fmt::format("{}{}{}", color, text, kPlain) : std::string(text);
  }

  void add(const LectureReport& lecture) {
    const Diff& diff = lecture.diff;
    const std::string verdict = !lecture.failure.empty() ? colored(kRed, "could not be compared")
                                : diff.same()
                                    ? colored(kGreen, "same")
                                    : colored(kRed, counted(diff.items.size(), "difference", "differences"));
    const std::string name = colored(kBold, one_line(report_name(lecture)));
    const bool compared = lecture.failure.empty() && diff.new_steps + diff.old_steps > 0;
    text_ += fmt::format("{}  {}{}\n", name, verdict, compared ? "  (" + steps_text(diff) + ")" : "");
    if (!lecture.failure.empty()) text_ += "  " + one_line(lecture.failure) + "\n";
    if (!diff.same()) add_notes(diff.notes);
    add_notes(diff.uncompared_files);
    for (const Difference& item : diff.items) add(lecture, item);
  }

  void add_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) text_ += colored(kDim, "  " + one_line(note)) + "\n";
  }

  static std::string steps_text(const Diff& diff) {
    const std::string now = counted(diff.new_steps, "step", "steps");
    return diff.old_steps == diff.new_steps ? now : with_separators(diff.old_steps) + " → " + now;
  }

  void add(const LectureReport& lecture, const Difference& item) {
    if (remaining_ == 0) {
      ++hidden_;
      return;
    }
    --remaining_;
    const DifferencePlace& place = main_place(item);
    const std::string where =
        place.line > 0 ? fmt::format("{}:{}  ", one_line(source_path(lecture, place)), place.line) : "";
    const std::string times = often_text(item), often = times.empty() ? "" : " (" + times + ")";
    text_ += fmt::format("  {}  {}{}{}: {}{}\n", colored(kDim, "#" + item.id), where,
                         colored(kBold, fmt::format("{:<13}", to_string(item.kind))), one_line(item.subject),
                         one_line(item.message), often);
  }

  void add_summary(const Report& report) {
    std::map<std::string, bool> same;  // by lecture, all ranks
    std::set<std::string> failed;
    for (const LectureReport& lecture : report.lectures) {
      const auto known = same.try_emplace(lecture.diff.lecture, true).first;
      known->second = known->second && lecture.failure.empty() && lecture.diff.same();
      if (!lecture.failure.empty()) failed.insert(lecture.diff.lecture);
    }
    text_ += fmt::format("{}: {} the same", counted(same.size(), "lecture", "lectures"),
                         std::ranges::count(same, true, &std::pair<const std::string, bool>::second));
    std::vector<std::string> counts;
    if (!failed.empty()) counts.push_back(fmt::format("{} could not be compared", failed.size()));
    for (std::size_t kind = 0; kind < kDifferenceKinds.size(); ++kind) {
      std::size_t count = 0;
      for (const LectureReport& lecture : report.lectures)
        count += lecture.diff.count(static_cast<DifferenceKind>(kind));
      if (count > 0) counts.push_back(fmt::format("{} {}", count, kDifferenceKinds[kind]));
    }
    if (!counts.empty()) text_ += fmt::format("; {}", fmt::join(counts, ", "));
    text_ += "\n";
    if (!report.remedy.empty() && !report.same()) text_ += report.remedy + "\n";
  }

  TextStyle style_;
  std::size_t remaining_, hidden_ = 0;
  std::string text_;
};

}  // namespace

std::string text_report(const Report& report, const TextStyle& style) {
  return TextReport(style).text(report);
}

}  // namespace lectern
