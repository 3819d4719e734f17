#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/probe.h"

namespace lectern::probe {

/// The values that activations with `@inspect *` have recorded of their variables, so that only changes are
/// recorded again; and their arguments, until they have a step.
class ShownLocals {
 public:
  using Values = std::vector<std::pair<std::string, std::string>>;  ///< names and JSON text

  /// Returns whether the trace does not have this value yet.
  bool note(Frame& frame, std::string_view name, std::string_view json, SiteRange scope);
  void add_argument(Frame& frame, std::string_view name, std::string_view json);

  /// A statement begins: readers of the trace take variables that are out of scope there as gone.
  void begin_statement(const Frame& frame, int site);
  Values take_arguments(const Frame& frame);
  void leave(const Frame& frame);

 private:
  struct Shown {
    std::string name;
    SiteRange scope;
    std::uint64_t value;  ///< a hash: values may be large, and recursion deep
  };
  struct Activation {
    std::vector<Shown> shown;
    Values arguments;
  };

  Activation& activation(Frame& frame);
  Activation* find(const Frame& frame);

  std::vector<Activation> activations_;  // innermost last; a Frame has its index
};

}  // namespace lectern::probe
