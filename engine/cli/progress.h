#pragma once

#include <string>
#include <string_view>

namespace lectern::cli {

/// Shows what ninja does, on standard error: one line that changes on a terminal; elsewhere a line for each
/// step of a lecture. What compilers and tools say passes through as it is; the commands that ninja repeats
/// on failure do not.
class Progress {
 public:
  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// A line of ninja's output, whose status is "[done/all] ".
  void ninja(std::string_view line);

 private:
  void clear();

  bool terminal_;
  bool drawn_ = false;
  bool skip_command_ = false;
};

/// "Compiling NAME" and the like for a description of ninja's; empty for one that is not worth a line.
std::string lecture_step(std::string_view description);

}  // namespace lectern::cli
