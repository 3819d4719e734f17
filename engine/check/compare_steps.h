#pragma once

#include <string>
#include <vector>

#include "check/align_steps.h"
#include "check/compare_renderings.h"
#include "check/diff.h"
#include "trace/decode.h"

namespace lectern {

/// One respect in which two steps that are the same one differ.
struct StepChange {
  DifferenceKind kind;
  const char* field;  ///< of the step's record: "vars", "show", …
  std::string subject, message;
  std::optional<ValueDifference> value = {};
};

/// Compares steps with their counterparts; to be asked in the order of the run, since it learns on the way
/// which storages are the same.
class StepComparison {
 public:
  StepComparison(const Trace& old_trace, const Trace& new_trace, const DiffOptions& options)
      : old_(old_trace), new_(new_trace), options_(options) {}

  /// `second`: where only one of the two has a second step, after a call, that one: what a statement inspects
  /// is recorded at its last step.
  std::vector<StepChange> compare(int old_step, int new_step, const StepAlignment::SecondStep& second = {});

 private:
  bool is_volatile(const std::string& name) const;
  void compare_variables(const Json& old_vars, const Json& new_vars);
  void compare_cleared(const Json& old_names, const Json& new_names);
  void compare_claims(const Json& old_claims, const Json& new_claims);
  void compare_shown(const Json& old_show, const Json& new_show);
  void compare_cut(const char* name, const char* what, const Json& old_bytes, const Json& new_bytes);
  void compare_printed(const char* name, const char* what, const Json& old_text, const Json& new_text);

  const Trace& old_;
  const Trace& new_;
  const DiffOptions& options_;
  StoragePairs storages_;
  // Of the step that is being compared:
  const Site* old_site_ = nullptr;
  const Site* new_site_ = nullptr;
  Json tolerance_;
  Comparison comparison_;
  std::vector<StepChange> changes_;
};

}  // namespace lectern
