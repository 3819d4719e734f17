#pragma once

#include <vector>

#include "edtrace/document.h"
#include "edtrace/export.h"
#include "edtrace/layout.h"
#include "trace/decode.h"

namespace lectern {

/// Reads the renderings of a step. Images on the web become links, since our pages load nothing; kinds
/// without a counterpart here show as JSON. Links to code are resolved in the trace's sources and functions.
/// Throws Error unless it is a list of objects.
std::vector<Rendering> renderings_from_edtrace(JsonElement list, const Trace& trace);

/// Writes renderings for edtrace's viewer; those that it has no kind for as Markdown.
class EdtraceRenderings {
 public:
  /// `files` are the trace's sources as they are exported: links to code lead there.
  EdtraceRenderings(const Trace& trace, const EdtraceExport& options, const std::vector<EdtraceFile>& files)
      : trace_(trace), options_(options), files_(files) {}

  /// Appends the rendering, with a blank before it, since the viewer itself leaves no space between the
  /// renderings of a line; and its caption as a second one.
  void append(Json& list, const Rendering& rendering) const;
  static void append_markdown(Json& list, const std::string& text, bool below = false);

 private:
  Json link(const rendering::Link& link) const;
  Json medium(const char* type, const std::string& src, int width) const;
  Json write(const Rendering& rendering) const;

  const Trace& trace_;
  const EdtraceExport& options_;
  const std::vector<EdtraceFile>& files_;
};

}  // namespace lectern
