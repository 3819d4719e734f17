#pragma once

#include <string>
#include <string_view>

#include "trace/edtrace_json.h"
#include "trace/trace.h"

namespace lectern {

/// Renderings (traces/README.md) out of edtrace's and into them. Both directions keep what the other side
/// cannot say beside it, so that coming back it is the same again.
class EdtraceRenderings {
 public:
  /// Links to code need the trace's sources and functions. `files_url` stands before the names of images and
  /// videos: where edtrace's viewer finds them.
  EdtraceRenderings(const Trace& trace, EdtraceGeneration generation, std::string files_url)
      : trace_(trace), generation_(generation), files_url_(std::move(files_url)) {}

  /// The list of a step of edtrace, as that of one of ours. Images on the web become links: pages load
  /// nothing. Kinds that nobody knows stay as they are and show as text. Throws Error when it is no list of
  /// objects.
  std::string from_edtrace(std::string_view list) const;

  /// The list of a step, as that of one of edtrace. What edtrace has no kind for is Markdown that says it.
  Json to_edtrace(const Json& show) const;

 private:
  Json read(const std::vector<std::string_view>& group) const;
  Json read_link(std::string_view json) const;
  Json written(const Json& ours, const std::string& files_url) const;
  Json written_link(const Json& ours) const;
  Json as_it_was(const Json& ours, const Json& was) const;

  const Trace& trace_;
  EdtraceGeneration generation_;
  std::string files_url_;
};

}  // namespace lectern
