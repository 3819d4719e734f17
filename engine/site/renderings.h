#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "site/assets.h"
#include "site/markdown.h"
#include "trace/trace.h"

namespace lectern {

/// What a statement rendered, as HTML for its slot.
struct ShownRenderings {
  std::string html;
  std::vector<Heading> headings;
  bool quiet = true;  ///< nothing but speaker's notes, or nothing at all
};

/// Makes HTML of a step's renderings (traces/README.md). The front matter is not among it: it is the page's
/// title block.
class Renderings {
 public:
  Renderings(const Trace& trace, const Assets& assets, MathTypesetter& math);

  /// `site` is the statement that the step executed.
  ShownRenderings render(const std::vector<Rendering>& show, int site);

  /// What could not be shown as asked for: "FILE:LINE: what".
  std::vector<std::string> take_warnings();

 private:
  class Slot;

  void warn(int site, const std::string& what);

  const Trace& trace_;
  const Assets& assets_;
  Markdown markdown_;
  MathTypesetter& math_;
  std::vector<std::string> warnings_;
};

/// "[Sennrich+ 2016]" when there are authors, else the title, else the address.
std::string reference_label(const rendering::Link& link);

/// Names for a reader: at most three, then "et al.".
std::string author_list(const std::vector<std::string>& authors);

}  // namespace lectern
