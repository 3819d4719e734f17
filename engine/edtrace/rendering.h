#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edtrace/json.h"
#include "trace/decode.h"

namespace lectern {

/// Renderings (traces/README.md) out of edtrace's and into them. Both directions keep what the other side
/// cannot say beside it, so that coming back it is the same again.
class EdtraceRenderings {
 public:
  /// Links to code need the trace's sources and functions, and how many lines stand before each source's own
  /// in edtrace's files (none where the list ends). `files_url` stands before the names of images and videos:
  /// where edtrace's viewer finds them. `moved_files` are there too although edtrace had them elsewhere.
  EdtraceRenderings(const Trace& trace, EdtraceGeneration generation, std::string files_url,
                    const std::vector<int>& lines_before, std::set<std::string> moved_files = {})
      : trace_(trace),
        generation_(generation),
        files_url_(std::move(files_url)),
        lines_before_(lines_before),
        moved_files_(std::move(moved_files)) {}

  /// The list of a step of edtrace, as that of one of ours. Images on the web become links: pages load
  /// nothing. Kinds that nobody knows stay as they are and show as text. Throws Error when it is no list of
  /// objects.
  std::string from_edtrace(std::string_view list) const;

  /// The list of a step, as that of one of edtrace. What edtrace has no kind for is Markdown that says it.
  Json to_edtrace(const Json& show) const;

  /// Markdown that only the viewer needs: from_edtrace passes over it.
  static Json added(std::string text);
  /// edtrace's viewer sets the renderings of a line close together.
  static Json with_blanks_between(Json list);

 private:
  int lines_before(int source) const;
  int line_of(const std::string& path, std::string_view digits) const;
  Json read(const std::vector<std::string_view>& group) const;
  Json read_link(std::string_view json) const;
  Json written(const Json& ours, const std::string& files_url, EdtraceGeneration generation) const;
  Json written_link(const Json& ours) const;
  Json as_it_was(const Json& ours, const Json& was) const;

  const Trace& trace_;
  EdtraceGeneration generation_;
  std::string files_url_;
  const std::vector<int>& lines_before_;  ///< the reader of a trace learns them later
  std::set<std::string> moved_files_;
};

}  // namespace lectern
