#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// An inspected variable or expression that has gone out of scope before a step.
struct LeftVariable {
  std::string name;
  int outer =
      -1;  ///< the step that recorded the variable of that name which is visible again; -1: there is none

  bool operator==(const LeftVariable&) const = default;
};

/// Follows what a run inspected and tells when it goes out of scope: when its activation goes on with a
/// statement for which it was not inspected (traces/README.md, `locals` of sites).
class Scopes {
 public:
  explicit Scopes(const Trace& trace);

  /// What went out of scope before the statement of this step. To be called for each step, in order, with
  /// what the step recorded; what it recorded again is not included.
  std::vector<LeftVariable> next(const StepDetails& details);

 private:
  struct Range {
    int first, last;  ///< sites
    int outer;        ///< the range of that name around it, its index; -1: none
  };
  struct Shown {
    std::string name;
    int first, last;
    int step;
  };
  static constexpr int kWhole = -1;  ///< the first site of what never goes out of scope

  void add_ranges();
  Shown shown(const std::string& name, int site, int step) const;
  void record(std::vector<Shown>& variables, const Members<Value>& values, int site, int step) const;

  const Trace& trace_;
  std::unordered_map<std::string, std::vector<Range>> ranges_;  // by name, ascending
  std::vector<int> activations_;                                // by step
  std::unordered_map<int, std::vector<Shown>> variables_;       // by activation
  int step_ = 0;
};

/// The steps before which something went out of scope, and what.
std::map<int, std::vector<LeftVariable>> left_variables(const Trace& trace);

}  // namespace lectern
