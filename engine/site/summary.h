#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "site/markdown.h"
#include "trace/model.h"
#include "trace/trace.h"

namespace lectern {

/// A work that a lecture refers to, and the rows of its page that do.
struct CitedWork {
  rendering::Link work;
  std::vector<std::string> anchors;
};

/// A term that a lecture defines or uses.
struct MentionedTerm {
  std::string name;
  std::string definition;  ///< HTML; empty where it is used
  std::string anchor;      ///< its row on the page
  std::string place;       ///< "FILE:LINE", for messages
};

/// What others than a lecture's own page say of it, and what that page has besides its text. Kept beside each
/// page as lecture.json, so that pages are made anew without their traces.
struct LectureSummary {
  std::string name;
  std::string title;  ///< the front matter's, else the first heading or the name
  rendering::Front front;
  std::string opening;  ///< its first paragraph, for others where it has no description
  std::size_t steps = 0;
  std::size_t claims_held = 0;
  std::size_t claims_failed = 0;
  bool exercise = false;  ///< claims that the run did not reach are among those that failed
  std::size_t words = 0;
  int minutes = 1;     ///< to read
  std::string ended;   ///< how the run ended, when it did not return from main
  std::string source;  ///< the path of main's file, relative to the lectures' folder
  std::vector<Heading> outline;
  int cost_columns = 0;       ///< how many may stand beside its code
  bool for_students = false;  ///< the page has no speaker's notes
  std::vector<CitedWork> works;
  std::vector<MentionedTerm> terms;
  std::string profile;                         ///< of the run
  std::string device;                          ///< that it ran on, as readers call it
  bool cover_drawn = false;                    ///< its cover is there as a bitmap, too (cover_picture.h)
  std::map<std::string, std::string> sources;  ///< hashes of the files that it reached, by their paths
  bool beneath = false;  ///< not the lecture's page, but that of a further profile (profiles.h); is not kept
};

inline constexpr const char* kSummaryFile = "lecture.json";

std::string to_json(const LectureSummary& summary);

/// Throws Error naming `file` when the text is not what to_json wrote, now or in an earlier version.
LectureSummary summary_from_json(std::string_view text, const std::string& file);

/// Of an exercise: how many of its claims hold, and how many do not or were not reached.
void count_claims(const Trace& trace, LectureSummary& summary);

/// "62 claims verified", "2 of 64 claims failed", of an exercise "3 of 5 claims hold"; empty
/// when there is none.
std::string claims_text(const LectureSummary& summary);

/// "21 November 2026 · A. Author · 38 min · 1,214 steps", of these what the lecture shows.
std::string facts_text(const LectureSummary& summary);
/// The same as HTML, with links to the authors.
std::string facts_html(const LectureSummary& summary);

}  // namespace lectern
