#pragma once

#include <vector>

#include "site/code.h"
#include "site/parts.h"
#include "site/rendered_steps.h"
#include "trace/trace.h"

namespace lectern {

/// What a line of a source is on the page.
enum class LineKind {
  code,
  blank,  ///< an empty line between lines of code
  raw     ///< seen in raw view only: replaced by renderings, hidden, only directives, an empty line beside
          ///< prose, or what holds the program together
};

struct PageLine {
  LineKind kind = LineKind::code;
  bool never = false;       ///< something on this line could have run, and nothing on it did
  bool unrecorded = false;  ///< it belongs to code that ran without being recorded
  bool hide = false;        ///< belongs to a hidden statement
  bool aside = false;   ///< it only leads on: the head of a function of prose, a call of `main`, a bracket
  bool anchor = false;  ///< the head of a function that is not shown: links to it lead to its part
  bool first = false;   ///< of a run of code as the page shows it
  bool last = false;
  std::vector<int> shown;   ///< statements of hooks that are shown instead of this line and the next ones
  std::vector<int> under;   ///< other statements that end here and rendered something
  std::vector<int> ending;  ///< statements of code that end here: their values and claims stand on this line
};

/// Lines of one source, in order, as the page shows them; `parts` are those of all sources.
std::vector<PageLine> page_lines(const Trace& trace, const RenderedSteps& steps, int source,
                                 const std::vector<CodeLine>& code, const std::vector<PagePart>& parts);

}  // namespace lectern
