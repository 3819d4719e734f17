#include "check/report.h"

#include <algorithm>

#include "base/readable_numbers.h"
#include "trace/identity.h"

namespace lectern {
namespace {

Diff whole_lecture(DifferenceKind kind, const std::string& name, const std::string& message) {
  return {.lecture = name,
          .items = {{.kind = kind,
                     .subject = "lecture",
                     .message = message,
                     .id = token_hash(name + "\nlecture", "").substr(0, 6),
                     .steps = 0}}};
}

}  // namespace

bool Report::failed() const {
  return std::any_of(lectures.begin(), lectures.end(),
                     [](const LectureReport& lecture) { return !lecture.failure.empty(); });
}

bool Report::same() const {
  return std::all_of(lectures.begin(), lectures.end(),
                     [](const LectureReport& lecture) { return lecture.diff.same(); });
}

Diff added_lecture(const std::string& name, const std::string& message) {
  return whole_lecture(DifferenceKind::added, name, message);
}

Diff missing_lecture(const std::string& name, const std::string& message) {
  return whole_lecture(DifferenceKind::missing, name, message);
}

std::string report_name(const LectureReport& lecture) {
  return lecture.diff.lecture + (lecture.rank ? " rank " + std::to_string(*lecture.rank) : "");
}

std::string often_text(const Difference& item) {
  const bool says_how_often = item.subject == "statement";
  return item.steps < 2 || says_how_often ? "" : "at " + with_separators(item.steps) + " steps";
}

std::string source_path(const LectureReport& lecture, const DifferencePlace& place) {
  return lecture.folder.empty() ? place.path : lecture.folder + "/" + place.path;
}

}  // namespace lectern
