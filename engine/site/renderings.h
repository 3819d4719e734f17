#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "site/assets.h"
#include "site/bibliography.h"
#include "site/graph_pictures.h"
#include "site/markdown.h"
#include "site/page_terms.h"
#include "site/plot_check.h"
#include "site/plot_pictures.h"
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
  /// Plots are not checked without `plot_check`.
  Renderings(const Trace& trace, const Assets& assets, MathTypesetter& math, PlotCheck* plot_check = nullptr);

  /// The languages in which alternatives should be: what is missing is warned of.
  void expect_languages(std::vector<std::string> languages) { languages_ = std::move(languages); }

  /// Has pictures made of all graphs of the trace; until then they are listed.
  void draw_graphs();
  const GraphPictures& graphs() const { return graphs_; }

  /// `site` is the statement that the step executed.
  ShownRenderings render(const std::vector<Rendering>& show, int site);

  /// The plots that can be drawn, each once.
  const std::vector<PlacedPlot>& plots() const { return plots_; }

  /// What the renderings refer to.
  const Bibliography& bibliography() const { return bibliography_; }
  const PageTerms& terms() const { return terms_; }

  void warn(int site, const std::string& what);
  /// What could not be shown as asked for: "FILE:LINE: what".
  std::vector<std::string> take_warnings();
  /// What is wrong and not shown, in the same form.
  std::vector<std::string> take_errors();

 private:
  class Slot;

  const Trace& trace_;
  const Assets& assets_;
  Markdown markdown_;
  MathTypesetter& math_;
  PlotCheck* plot_check_;
  GraphPictures graphs_;
  std::vector<PlacedPlot> plots_;
  Bibliography bibliography_;
  PageTerms terms_;
  std::vector<std::string> languages_;
  std::vector<std::string> warnings_, errors_;
};

}  // namespace lectern
