#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// What a list of lectures says of one. Kept beside each page as lecture.json, so that the home page needs no
/// trace.
struct LectureSummary {
  std::string name;
  std::string title;
  std::string date;
  std::string course;
  std::string description;
  std::vector<std::string> authors;
  std::vector<std::string> tags;
  std::size_t steps = 0;
  std::size_t claims_held = 0;
  std::size_t claims_failed = 0;
  int minutes = 1;    ///< to read
  std::string ended;  ///< how the run ended, when it did not return from main
};

std::string to_json(const LectureSummary& summary);

/// Throws Error naming `file` when the text is not what to_json wrote.
LectureSummary summary_from_json(std::string_view text, const std::string& file);

/// "62 claims verified", "2 of 64 claims failed"; empty when there is none.
std::string claims_text(const LectureSummary& summary);

/// "21 November 2026 · A. Author · 38 min · 1,214 steps"
std::string facts_text(const LectureSummary& summary);

}  // namespace lectern
