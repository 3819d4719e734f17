#pragma once

#include <string>
#include <vector>

#include "edtrace/export.h"
#include "edtrace/layout.h"
#include "trace/decode.h"

namespace lectern {

/// The list of a step of edtrace, as that of one of ours. Images on the web become links: pages load nothing.
/// Kinds that nobody knows show as JSON. Links to code need the trace's sources and functions. Throws Error
/// when it is no list of objects.
std::vector<Rendering> renderings_from_edtrace(const Json& list, const Trace& trace);

/// Renderings as those of edtrace. What it has no kind for is Markdown that says it.
class EdtraceRenderings {
 public:
  /// Links to code need the trace's functions, and where its files' lines are in edtrace's.
  EdtraceRenderings(const Trace& trace, const EdtraceExport& options, const std::vector<EdtraceFile>& files)
      : trace_(trace), options_(options), files_(files) {}

  /// Appends one, and its caption as another.
  void append(Json& list, const Rendering& rendering) const;

  static Json markdown(std::string text);
  /// edtrace's viewer sets the renderings of a line close together.
  static Json with_blanks_between(Json list);

 private:
  Json link(const rendering::Link& link) const;
  Json medium(const char* type, const std::string& src, int width) const;

  const Trace& trace_;
  const EdtraceExport& options_;
  const std::vector<EdtraceFile>& files_;
};

}  // namespace lectern
