#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lectern::cli {

/// Shows what ninja does, on standard error: on a terminal one line that names what is being done now;
/// elsewhere a line for each step of a lecture as it begins. What compilers and tools say passes through as
/// it is; the commands that ninja repeats on failure do not. Should a signal end this process meanwhile, the
/// line goes.
class Progress {
 public:
  /// For ninja's environment: started, finished and all steps, which tell beginnings from ends.
  static constexpr const char* kStatus = "NINJA_STATUS=[%s %f/%t] ";

  Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Takes the line of progress off the terminal, if one stands there.
  static void clear();

  /// A line of ninja's output.
  void ninja(std::string_view line);

 private:
  struct Status;

  void advance(const Status& status);
  void draw(const Status& status) const;
  void pass_on(std::string_view line);

  bool terminal_;
  bool skip_command_ = false;
  int started_ = 0, finished_ = 0;
  std::vector<std::string> running_;
  std::string failed_;  // the lecture whose step failed last
};

/// "Compiling NAME" and the like for a description of ninja's; empty for one that is not worth a line.
std::string lecture_step(std::string_view description);

}  // namespace lectern::cli
