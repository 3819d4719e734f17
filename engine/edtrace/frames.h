#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "edtrace/document.h"
#include "edtrace/python_outline.h"
#include "trace/trace.h"

namespace lectern {

/// Makes sources, functions, sites and stacks out of edtrace's files and stack frames, each once.
class EdtraceFrames {
 public:
  struct Frame {
    int function = 0;
    int site = 0;
    bool begins_function = false;  ///< the step to `def` that a call makes
  };

  /// Definitions go to this trace.
  explicit EdtraceFrames(Trace& trace) : trace_(trace) {}

  /// Returns the number of the source.
  int add_file(const std::string& path, std::string_view contents);
  void hide(const std::string& path, int line);

  /// Reads a stack frame: path, line_number, function_name. Throws Error if one is missing or wrong.
  Frame frame(JsonElement json);
  /// The stack that these frames make, outermost first.
  int stack(const std::vector<Frame>& frames);

  /// To be called after the last frame: makes sites of the hidden lines that no step was at.
  void finish();

 private:
  int source_of(const std::string& path);
  int function_of(int source, const std::string& name, int line);
  int add_site(int source, int function, int line);
  TextSpan span_of(int source, int line) const;

  Trace& trace_;
  std::unordered_map<std::string, int> sources_;
  std::vector<PythonOutline> outlines_;                         ///< by source; empty but for Python
  std::map<std::pair<int, std::string>, int> other_functions_;  ///< of no outline, by source and name
  std::map<std::tuple<int, int, int>, int> stacks_;             ///< by parent, call and function
  std::map<std::pair<int, int>, bool> hidden_;  ///< by source and line: whether a site is there
  std::map<std::tuple<std::string, std::string, int>, Frame> frames_;  ///< by path, name and line
};

}  // namespace lectern
