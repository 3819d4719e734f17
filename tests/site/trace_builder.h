#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "site/math.h"
#include "site/rendered_steps.h"
#include "site/renderings.h"
#include "trace/trace.h"

namespace lectern::test {

/// Makes a small trace by hand: a source, then statements found in its text, then steps.
class TraceBuilder {
 public:
  /// The whole source is one function, main, unless functions are added.
  explicit TraceBuilder(std::string_view source, const std::string& language = "cpp");

  /// A function whose text begins and ends with these; statements go to the innermost that holds them.
  int function(std::string_view begin, std::string_view end, const std::string& name);
  /// The statement with this text (its n-th occurrence).
  int site(std::string_view text, SiteKind kind = SiteKind::statement, bool hide = false, int occurrence = 1);
  /// One step of a statement; `details` is JSON: {"vars":…,"show":…}.
  TraceBuilder& step(int site, const std::string& details = {});

  /// A statement of hooks that ran once and rendered this list.
  TraceBuilder& hook(std::string_view text, const std::string& show);

  Trace trace;

 private:
  TextSpan span_of(std::size_t begin, std::size_t end) const;

  std::string source_;
};

/// A trace's page as its maker sees it, without any file.
struct Page {
  explicit Page(const Trace& of, std::map<std::string, std::filesystem::path> files = {});

  /// The row with this id, from its tag to the next row.
  std::string row(const std::string& id) const;

  const Trace& trace;
  Assets assets;
  MathTypesetter math;
  Renderings renderings;
  RenderedSteps steps;
  std::string body;
};

}  // namespace lectern::test
