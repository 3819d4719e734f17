#pragma once

#include <map>
#include <set>
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
  /// Where a step is.
  struct Position {
    std::vector<int> stacks = {};  ///< of each frame, outermost first
    int site = -1;
    bool begins_function = false;  ///< at the `def` of a function, as a call's first step is
  };

  /// Definitions go to this trace.
  explicit EdtraceFrames(Trace& trace) : trace_(trace) {}

  /// Returns the number of the source.
  int add_file(const std::string& path, std::string_view contents);
  /// To be called before any step is there.
  void hide(const std::string& path, int line);

  /// Reads a stack of frames: path, line_number, function_name. Throws Error if one is missing or wrong.
  Position position(simdjson::dom::array stack);

 private:
  struct Frame {
    int function = 0;
    int site = 0;
    bool begins_function = false;
  };

  const Frame& frame(JsonElement json);
  int source_number(const std::string& path);
  int function_at(int source, const std::string& name, int line);
  int add_site(int source, int function, int line);
  TextSpan line_span(int source, int line) const;

  Trace& trace_;
  std::unordered_map<std::string, int> sources_;
  std::vector<PythonOutline> outlines_;                                ///< by source; empty but for Python
  std::map<std::pair<int, std::string>, int> other_functions_;         ///< of no outline, by source and name
  std::set<std::pair<int, int>> hidden_;                               ///< source and line
  std::map<std::tuple<int, int, int>, int> stacks_;                    ///< by parent, call and function
  std::map<std::tuple<std::string, std::string, int>, Frame> frames_;  ///< by path, name and line
};

}  // namespace lectern
