#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/format_errors.h"
#include "cli/hook_errors.h"
#include "cli/reserved_names.h"

namespace lectern::cli {

/// Shows ninja's progress on standard error: on a terminal one line with the current steps, elsewhere a line
/// for each step of a lecture as it begins. Messages of compilers and tools pass through unchanged, followed
/// by a remedy where authors cannot know one (reserved_names.h), or replaced where they are about code that
/// is not theirs (format_errors.h); the commands that ninja repeats on failure are dropped. If a signal ends
/// this process, the line is cleared. No step is named twice: a lecture of several files is compiled once,
/// for its author.
class Progress {
 public:
  /// For ninja's environment: the numbers of started, finished and all steps.
  static constexpr const char* kStatus = "NINJA_STATUS=[%s %f/%t] ";

  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Clears the progress line, if there is one.
  static void clear();

  /// Takes a line of ninja's output.
  void add(std::string_view line);

  /// The messages so far, a line each; at most kMessageBytes of them.
  const std::string& messages() const { return messages_; }
  static constexpr std::size_t kMessageBytes = 64 << 10;

  /// The lectures whose rendering failed (NAME.page, LecternLecture.cmake), and whether anything else did.
  const std::set<std::string>& failed_pages() const { return failed_pages_; }
  bool others_failed() const { return others_failed_; }

 private:
  struct Status;

  void advance(const Status& status);
  void draw(const Status& status) const;
  void add_message(std::string_view line);
  void print_message(std::string_view line);

  bool terminal_;
  bool skip_command_ = false, others_failed_ = false;
  std::set<std::string> failed_pages_;
  int started_ = 0, finished_ = 0;
  std::vector<std::string> running_;
  std::set<std::string> named_;
  std::set<std::string> told_;
  AmbiguousNames ambiguous_names_;
  FormatErrors format_errors_;
  HookErrors hook_errors_;
  std::string messages_;
  std::string failed_;  // the lecture whose step failed last
};

/// "Compiling NAME" and the like for a step's description in ninja; empty for one not worth showing.
std::string lecture_step(std::string_view description);

}  // namespace lectern::cli
