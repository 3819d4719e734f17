#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/rendering_kinds.h"

namespace lectern {

/// What a lecture's own page, the home page and other lists say of it.
struct FrontMatter {
  /// A name, or {name, URL}.
  struct Author {
    std::string name;
    std::string url;

    Author(const char* named, std::string at = {}) : name(named), url(std::move(at)) {}             // NOLINT
    Author(std::string named, std::string at = {}) : name(std::move(named)), url(std::move(at)) {}  // NOLINT
  };
  /// A picture that stands for the lecture: on its page, in lists, and where other sites show a link to it.
  struct Cover {
    std::string image = {};  ///< a file beside the lecture, as of the hook image()
    std::string alt = {};
    std::string caption = {};
    bool on_page = true;
    bool in_lists = true;

    bool operator==(const Cover&) const = default;
  };
  using License = trace_model::rendering::License;  ///< name, url
  using Parts = trace_model::rendering::Parts;  ///< contents, contents_open, reading_time, word_count, …

  std::string title;
  std::string date;  ///< YYYY-MM-DD, or with a time and its zone: "2026-11-21T18:00+01:00"
  std::vector<Author> authors = {};
  std::vector<std::string> tags = {};
  std::string description = {};
  std::string course = {};
  /// Lectures of one series lead to each other, in the order that they give; a part of a series may have a
  /// name of its own.
  std::string series = {};
  std::string subseries = {};
  int order = 0;  ///< from 1; 0: by name, after those that have one
  std::vector<std::string> categories = {};
  bool draft = false;  ///< built, but left out of what is published (`lectern build --no-drafts`)
  Cover cover = {};
  std::string lang = {};  ///< BCP 47 ("de", "pt-BR"); empty: the site's
  License license = {};
  Parts show = {};
  std::vector<std::string> goals = {};  ///< what one can do after it: "say what a step of training costs"
  /// What it builds on: the names of lectures ("lecture_01_tokenization"), or anything else ("calculus").
  std::vector<std::string> prerequisites = {};
  /// Runs the lecture in so many processes that know each other (distributed/process_group.h). A number,
  /// written in digits in the call of lecture(): it is read before anything runs.
  int processes = 0;
};

/// Call once, as the first hook.
void lecture(const FrontMatter& front);

}  // namespace lectern
