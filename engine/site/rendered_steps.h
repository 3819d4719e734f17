#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "site/renderings.h"
#include "site/values.h"
#include "trace/trace.h"

namespace lectern {

/// Distinct texts, numbered in the order of their first use.
class Interned {
 public:
  Interned() = default;
  Interned(Interned&&) = default;
  Interned& operator=(Interned&&) = default;

  /// Its number.
  int intern(std::string text);
  const std::deque<std::string>& all() const { return texts_; }
  const std::string& operator[](int number) const { return texts_[static_cast<std::size_t>(number)]; }

 private:
  std::deque<std::string> texts_;  // a deque's strings stay where they are
  std::unordered_map<std::string_view, int> numbers_;
};

/// A distinct value: `html` is a number in RenderedSteps::html.
struct NumberedValue {
  std::string type, text;
  int html;
};

/// Name and number of a value.
using Binding = std::pair<std::string, int>;

/// What stands beside a statement when the lecture has run to its end.
struct FinalState {
  bool executed = false;
  int show = -1;
  int claims = -1;
  bool shows_nothing = false;  ///< it rendered nothing that is visible
  bool quiet = true;
  std::vector<Heading> headings;
  std::vector<Binding> vars;
};

/// A trace's steps rendered to HTML, each distinct value and fragment once. Numbers are indices into `html`
/// and `values`.
struct RenderedSteps {
  Interned html;
  std::vector<NumberedValue> values;

  /// Of the steps that have them: step and content.
  std::vector<std::pair<int, std::vector<Binding>>> args, vars;
  std::vector<std::pair<int, std::vector<std::string>>> clear;
  std::vector<std::pair<int, std::vector<Binding>>>
      left;  ///< out of scope; -1 but where a name has a value again
  std::vector<std::pair<int, int>> show, claims, out;
  int ended = -1;

  std::vector<FinalState> sites;  ///< one per site of the trace
  rendering::Front front;
  int front_site = -1;        ///< of the front matter; -1: none
  std::string cover;          ///< its figure, or nothing
  std::string first_heading;  ///< the first one that the Markdown calls "#"; empty when there is none
  std::size_t claims_held = 0, claims_failed = 0;  ///< by statement, not by execution
  std::size_t words = 0;                           ///< of prose
  std::string terms, references;                   ///< sections at the end, or nothing
  std::string printed;  ///< everything that the program printed, cut after about 64 KB
};

RenderedSteps render_steps(const Trace& trace, Renderings& renderings);

}  // namespace lectern
