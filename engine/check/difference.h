#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/compare_values.h"

namespace lectern {

enum class DifferenceKind : std::uint8_t {
  control_flow,  ///< a statement ran more or less often or in another order, or the run ended otherwise
  value,         ///< an inspected variable, an operand of a claim or whether it held
  rendering,     ///< what a statement showed or printed
  source,        ///< only the program's text: whatever ran did the same
  missing,       ///< a statement, an inspected variable or a lecture that is no longer there
  added,         ///< one that was not there before
};
inline constexpr std::array<std::string_view, 6> kDifferenceKinds{"control flow", "value",   "rendering",
                                                                  "source only",  "missing", "added"};
std::string_view to_string(DifferenceKind kind);

/// Where a difference shows in one of the traces.
struct DifferencePlace {
  std::string path;  ///< of the source, as the trace has it
  int line = 0;      ///< from 1; 0: no line
  int step = -1;     ///< from 0; -1: it never ran there
  std::string link;  ///< the step's permanent address on the page, "#step=…"; empty without a step
};

/// One item of a report: what one statement did differently in one respect, however often it ran.
struct Difference {
  DifferenceKind kind = DifferenceKind::value;
  const char* field = "";    ///< of the steps' records: "vars", "show", …; empty: what ran, and when
  std::string subject = {};  ///< "x", "text", "claim", "printed", "statement", "return"
  std::string message = {};  ///< of its first occurrence: "5 → 7"
  std::optional<ValueDifference> value = {};  ///< of the first occurrence
  std::string id = {};                        ///< six hexadecimal digits that name it to `lectern accept`
  std::string function = {};                  ///< qualified
  DifferencePlace old_place = {}, new_place = {};
  int old_site = -1, new_site = -1;  ///< of the traces; -1: none
  std::size_t steps = 1;             ///< at how many steps it shows
};

/// Where an item shows: in the new run, or in the old one if it is gone from the new.
const DifferencePlace& main_place(const Difference& item);

/// What is different between two traces of a lecture.
struct Diff {
  std::string lecture;
  std::string old_lecture = {};        ///< what the old trace calls it
  std::vector<Difference> items = {};  ///< in the order of the new run; what is gone stands where it was
  std::size_t old_steps = 0, new_steps = 0;
  std::size_t compared = 0;                        ///< steps that have a counterpart
  std::vector<std::string> notes = {};             ///< what does not count: another compiler, say
  std::vector<std::string> uncompared_files = {};  ///< "a.png: beside the old trace only, …"
  /// For each new step the old one to show beside it: the counterpart of the nearest step that has one.
  std::vector<int> nearest_old_step = {};

  bool same() const { return items.empty(); }
  std::size_t count(DifferenceKind kind) const;
};

}  // namespace lectern
