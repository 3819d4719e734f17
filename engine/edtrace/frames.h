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
  /// Definitions go to this trace.
  explicit EdtraceFrames(Trace& trace) : trace_(trace) {}

  /// Returns the number of the source.
  int add_file(const std::string& path, std::string_view contents);
  /// To be called before any step is placed.
  void hide(const std::string& path, int line);

  /// Says where a step is, what it enters and whether it is an `after`. Frames, outermost first, have path,
  /// line_number and function_name. Throws Error if one is missing or wrong.
  void place(Step& step, simdjson::dom::array frames);

 private:
  int find_source(const std::string& path);
  int find_function(int source, const std::string& name, int line);
  int find_site(JsonElement frame);
  bool begins_function(int site) const;
  TextSpan line_span(int source, int line) const;

  Trace& trace_;
  std::unordered_map<std::string, int> sources_;
  std::vector<PythonOutline> outlines_;                             ///< by source; empty but for Python
  std::map<std::pair<int, std::string>, int> other_functions_;      ///< of no outline, by source and name
  std::set<std::pair<int, int>> hidden_;                            ///< source and line
  std::map<std::tuple<int, int, int>, int> stacks_;                 ///< by parent, call and function
  std::map<std::tuple<std::string, std::string, int>, int> sites_;  ///< by path, name and line
  std::vector<int> stacks_before_;                                  ///< of the step before, outermost first
};

}  // namespace lectern
