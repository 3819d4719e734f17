#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "site/assets.h"
#include "site/markdown.h"
#include "trace/decode.h"

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

  /// `show` is the list of a step; `site` the statement that the step executed.
  ShownRenderings render(const Json& show, int site);

  /// What could not be shown as asked for: "FILE:LINE: what".
  std::vector<std::string> take_warnings();

 private:
  struct Line;

  void add(Line& line, const Json& rendering);
  void add_text(Line& line, const std::string& source);
  void add_link(Line& line, const Json& rendering);
  std::string function_link(std::string name) const;
  std::string figure(const Json& rendering, const std::string& inner, const char* kind, int site);
  std::string image(const Json& rendering, int site);
  std::string video(const Json& rendering, int site);
  std::string plot(const Json& rendering, int site);
  std::string table(const Json& rendering, int site);
  std::string card(const Json& rendering, int site);
  std::string callout(const Json& rendering, int site);
  std::string exercise(const Json& rendering, int site);
  std::string markdown(const std::string& source, int site);
  void warn(int site, const std::string& what);

  const Trace& trace_;
  const Assets& assets_;
  Markdown markdown_;
  MathTypesetter& math_;
  std::vector<std::string> warnings_;
};

/// "[Sennrich+ 2016]" when there are authors, else the title, else the address.
std::string reference_label(const Json& rendering);

/// Names for a reader: at most three, then "et al.".
std::string author_list(const std::vector<std::string>& authors);

/// The texts of a list; empty when it is not there or no list.
std::vector<std::string> list_field(const Json& object, const char* name);

}  // namespace lectern
