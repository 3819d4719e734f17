#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lectern::test {

/// Makes a trace as a run of a small program would. Functions begin with a line `name() {` without
/// indentation and end with `}`; every other line in them is a statement, named by its text without blanks
/// around it.
class RunBuilder {
 public:
  explicit RunBuilder(std::string_view source, std::string_view path = "example.cpp");

  /// One execution of a statement of the function that runs. `details` is JSON: {"vars":…,"show":…}.
  RunBuilder& step(std::string_view statement, const std::string& details = {});
  /// A statement that calls a function, whose statements come next, until back().
  RunBuilder& call(std::string_view statement, const std::string& function);
  RunBuilder& back(const std::string& details = {});

  /// The site of a statement: for what its directives say.
  Site& site(const std::string& function, std::string_view statement);

  Trace trace;

 private:
  struct Frame {
    int stack;
    int call_site;
  };
  int find(int function, std::string_view statement) const;
  void add(int site, const std::string& details, bool after);

  std::map<std::string, int> functions_;
  std::vector<Frame> frames_;
  int entered_ = 1;
};

}  // namespace lectern::test
