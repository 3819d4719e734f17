#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace lectern::cli {

struct Command {
  std::vector<std::string> arguments;         ///< the program, found on the PATH, and its arguments
  std::filesystem::path folder = {};          ///< the working directory; empty: the current one
  std::vector<std::string> environment = {};  ///< NAME=VALUE, added to the inherited one
  bool errors = true;                         ///< whether standard error is read too
  /// Gives it a terminal of its own if possible: a line that it redraws comes as a line each time, and it
  /// gets SIGHUP when this process ends, however it ends.
  bool terminal = false;
  /// Once a stop is requested, it is interrupted (SIGINT).
  std::stop_token stop = {};
};

/// Runs a command without standard input and passes on its output and errors line by line, without newlines.
/// Returns the exit status, 128 + N if signal N ended it, 127 if it could not be started. Throws Error if no
/// pipe can be created.
int run_command(const Command& command, const std::function<void(std::string_view)>& on_line);

/// The same, with the output kept in a file, whose folder is created.
int run_logged(const Command& command, const std::filesystem::path& log,
               const std::function<void(std::string_view)>& on_line = {});

/// The first line that a command prints on standard output; empty if it fails.
std::string first_output_line(const std::vector<std::string>& arguments);

/// The program's path if it is on the PATH, else empty.
std::filesystem::path find_program(const std::string& name);

}  // namespace lectern::cli
