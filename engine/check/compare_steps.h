#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/align_steps.h"
#include "check/compare_renderings.h"
#include "check/diff.h"
#include "trace/scopes.h"

namespace lectern {

/// Compares steps with their counterparts; to be asked in the order of the run, since it learns on the way
/// which storages are the same.
class StepComparison {
 public:
  StepComparison(const Trace& old_trace, const Trace& new_trace, const DiffOptions& options)
      : old_(old_trace),
        new_(new_trace),
        options_(options),
        old_left_(left_variables(old_trace)),
        new_left_(left_variables(new_trace)) {}

  /// How two steps differ: kind, field, subject, message and value of each difference. `second`: where only
  /// one of the two has a second step, after a call, that one: what a statement inspects is recorded at its
  /// last step.
  std::vector<Difference> compare(int old_step, int new_step, const StepAlignment::SecondStep& second = {});

 private:
  bool same_records(const std::string& old_text, const std::string& new_text);
  bool is_volatile(const std::string& name) const;
  /// What the statement's @volatile and @tol say of what it shows, prints and claims: that depends on the
  /// names in its code.
  void find_shown_parts(const StepDetails& before, const StepDetails& now);
  /// `what`: stands before their names.
  void compare_variables(const std::string& what, const Members<Value>& old_vars,
                         const Members<Value>& new_vars);
  /// `gone`: "cleared here".
  void compare_names(const std::string& gone, const std::vector<std::string>& old_names,
                     const std::vector<std::string>& new_names);
  void compare_shown(const std::vector<Rendering>& old_show, const std::vector<Rendering>& new_show);
  void compare_claims(const std::vector<Claim>& old_claims, const std::vector<Claim>& new_claims);
  /// `old_cut`, `new_cut`: bytes left out after the text.
  void compare_printed(const char* field, const char* what, const Printed& old_text, const Printed& new_text,
                       std::uint64_t old_cut, std::uint64_t new_cut);

  const Trace& old_;
  const Trace& new_;
  const DiffOptions& options_;
  std::map<int, std::vector<LeftVariable>> old_left_, new_left_;  ///< by step
  StoragePairs storages_;
  // Of the step that is being compared:
  const Site* old_site_ = nullptr;
  const Site* new_site_ = nullptr;
  Comparison comparison_;
  std::vector<SiteTolerance> shown_tolerances_;
  bool shown_is_volatile_ = false, printed_is_volatile_ = false;
  std::vector<Difference> changes_;
};

}  // namespace lectern
