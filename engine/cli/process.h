#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lectern::cli {

struct Command {
  std::vector<std::string> arguments;         ///< the program, found on the PATH, and what it gets
  std::filesystem::path folder = {};          ///< where it runs; empty: here
  std::vector<std::string> environment = {};  ///< NAME=VALUE, beside what is inherited
  bool errors = true;                         ///< its standard error is of interest too
  /// It writes to a terminal of its own, where there is one to be had: what it redraws comes as a line each
  /// time, and it gets SIGHUP when this process ends, whatever ends it.
  bool terminal = false;
};

/// Runs a command without standard input; its output and errors come line by line, without the newline.
/// Returns the exit status, 128 + the signal's number when one ended it, 127 when it could not be started.
/// Throws Error when there is no pipe to be had.
int run_command(const Command& command, const std::function<void(std::string_view)>& on_line);

/// The same, with the output kept in a file (its folder is made).
int run_logged(const Command& command, const std::filesystem::path& log,
               const std::function<void(std::string_view)>& on_line = {});

/// What a command prints on standard output, first line only; empty when it fails.
std::string first_line_of(const std::vector<std::string>& arguments);

/// The program's path when it is on the PATH, else empty.
std::filesystem::path find_program(const std::string& name);

}  // namespace lectern::cli
