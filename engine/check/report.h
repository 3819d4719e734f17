#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/difference.h"

namespace lectern {

/// The outcome for one lecture.
struct LectureReport {
  Diff diff;
  std::optional<int> rank = {};  ///< of a run of several processes, each of which has a report
  std::string failure = {};      ///< why it could not be compared; empty when it was
  std::string folder = {};  ///< of its sources, as the reader of the report names it; empty: as in the trace
};

/// The result of `lectern diff` and `lectern check`.
struct Report {
  std::vector<LectureReport> lectures;
  std::string remedy = {};  ///< what accepts the differences: a sentence for the end of the report

  bool failed() const;
  bool same() const;
  /// 0: all the same, 1: something differs, 2: something could not be compared.
  int status() const { return failed() ? 2 : same() ? 0 : 1; }
};

/// A lecture without an accepted trace, and an accepted trace without a lecture: one item each.
Diff added_lecture(const std::string& name, const std::string& message);
Diff missing_lecture(const std::string& name, const std::string& message);

/// "lecture_07 rank 1"; without several processes the lecture's name alone.
std::string report_name(const LectureReport& lecture);

/// "at 12 steps" of an item that shows at several; empty when its message says how often.
std::string often_text(const Difference& item);
/// Path (below `folder`) and line of that place.
std::string source_path(const LectureReport& lecture, const DifferencePlace& place);

struct TextStyle {
  bool color = false;
  std::size_t limit = 50;  ///< items shown; 0: all
};
std::string text_report(const Report& report, const TextStyle& style);

/// traces/lectern-diff-1.schema.json.
std::string json_report(const Report& report);

/// Annotations of GitHub's workflows: each item an error at its file and line.
std::string github_report(const Report& report);

}  // namespace lectern
