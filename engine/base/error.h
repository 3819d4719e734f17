#pragma once

#include <stdexcept>
#include <string>

namespace lectern {

/// A place in a text file. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "FILE:LINE:COLUMN", with the unknown parts left out; empty when the file is unknown.
std::string to_string(const Place& place);

/// Thrown by every tool of Lectern on bad input: "FILE:LINE: what is wrong; what to do". The command line
/// prints it as "lectern: " + what() on standard error.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  Error(const Place& place, const std::string& message);
};

}  // namespace lectern
