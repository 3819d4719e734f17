#include "check/compare_steps.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/characters.h"
#include "check/excerpt.h"
#include "check/execution.h"
#include "trace/identity.h"
#include "trace/step_text.h"
#include "trace/tokens.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

/// Fields of a step that never count: costs, and which functions ran without being recorded.
constexpr std::array<std::string_view, 6> kNeverCounted{"flops",      "bytes", "memory",
                                                        "categories", "ran",   "collectives"};

/// Whether a record names a file that is shown: equal names say nothing about the bytes.
bool shows_files(std::string_view text) {
  return text.find("\"src\":") != std::string_view::npos;
}

/// The storages of tensors in equal texts are the same ones. Returns false when that contradicts what is
/// known.
bool note_storages(std::string_view text, StoragePairs& storages) {
  constexpr std::string_view kField = "\"storage\":";
  bool same = true;
  for (std::size_t at = text.find(kField); at != std::string_view::npos; at = text.find(kField, at + 1)) {
    std::int64_t number = 0;
    const char* const begin = text.data() + at + kField.size();
    if (std::from_chars(begin, text.data() + text.size(), number).ec == std::errc())
      same = storages.same(number, number) && same;
  }
  return same;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether a statement's code has the names of an expression.
bool mentions(const Trace& trace, const Site& site, const std::string& expression) {
  const TracedFunction& function = trace.functions[index(site.function)];
  const std::vector<std::string> code = site_tokens(trace, site);
  return std::ranges::all_of(
      tokens(expression, trace.sources[index(function.source)].language),
      [&](std::string_view token) { return !is_word(token.front()) || contains(code, std::string(token)); });
}

/// ": 3 == 4", ": the text of the claim"; empty when the trace has neither.
std::string claim_text(const Claim& claim) {
  if (!claim.text.empty()) return ": " + claim.text;
  if (claim.op.empty()) return {};
  return ": " + value_text(claim.left.value_or(Value())) + " " + claim.op + " " +
         value_text(claim.right.value_or(Value()));
}

std::vector<std::string> names_at(const std::map<int, std::vector<LeftVariable>>& left, int step) {
  std::vector<std::string> names;
  if (const auto found = left.find(step); found != left.end())
    std::ranges::transform(found->second, std::back_inserter(names), &LeftVariable::name);
  return names;
}

}  // namespace

std::vector<Difference> StepComparison::compare(int old_step, int new_step,
                                                const StepAlignment::SecondStep& second) {
  const Step &old_record = old_.steps[index(old_step)], &new_record = new_.steps[index(new_step)];
  const bool single = second.old_step < 0 && second.new_step < 0;
  const std::vector<std::string> old_left = names_at(old_left_, old_step),
                                 new_left = names_at(new_left_, new_step);
  if (single && old_left == new_left && same_records(old_record.text, new_record.text)) return {};
  const StepDetails before = execution_details(old_, old_step, second.old_step),
                    now = execution_details(new_, new_step, second.new_step);
  changes_.clear();
  old_site_ = &old_.sites[index(old_record.site)];
  new_site_ = &new_.sites[index(new_record.site)];
  comparison_ = {{options_.rel, options_.abs, &new_site_->tolerances}, &storages_};
  compare_variables("argument ", before.args, now.args);
  compare_variables("", before.vars, now.vars);
  compare_names("cleared here", before.clear, now.clear);
  compare_names("out of scope from here on", old_left, new_left);
  find_shown_parts(before, now);
  comparison_.tolerances.site = &shown_tolerances_;
  compare_claims(before.claims, now.claims);
  if (!is_volatile("*")) compare_shown(before.show, now.show);
  if (!printed_is_volatile_) {
    compare_printed("out", "printed", before.out, now.out, before.out_cut, now.out_cut);
    compare_printed("err", "printed to standard error", before.err, now.err, before.err_cut, now.err_cut);
  }
  return std::move(changes_);
}

/// Whether two steps need not be decoded to see that they are the same: most need not.
bool StepComparison::same_records(const std::string& old_text, const std::string& new_text) {
  const bool same = old_text == new_text ||
                    without_members(old_text, kNeverCounted) == without_members(new_text, kNeverCounted);
  return same && note_storages(new_text, storages_) && !shows_files(new_text);
}

bool StepComparison::is_volatile(const std::string& name) const {
  const auto declares = [&](const Site& site) {
    return contains(site.volatile_names, name) || contains(site.volatile_names, "*");
  };
  return declares(*old_site_) || declares(*new_site_);
}

void StepComparison::find_shown_parts(const StepDetails& before, const StepDetails& now) {
  shown_is_volatile_ = printed_is_volatile_ = is_volatile("*");
  shown_tolerances_ = new_site_->tolerances;
  const auto look_at = [&](const Trace& trace, const Site& site) {
    for (const std::string& name : site.volatile_names) {
      if (name == "*" || !mentions(trace, site, name)) continue;
      shown_is_volatile_ = true;
      const bool inspected = before.vars.find(name) != nullptr || now.vars.find(name) != nullptr;
      printed_is_volatile_ = printed_is_volatile_ || !inspected;
    }
  };
  look_at(old_, *old_site_);
  look_at(new_, *new_site_);
  for (SiteTolerance& tolerance : shown_tolerances_) {
    if (std::ranges::any_of(tolerance.names,
                            [&](const std::string& name) { return mentions(new_, *new_site_, name); }))
      tolerance.names.emplace_back("*");
  }
}

void StepComparison::compare_shown(const std::vector<Rendering>& old_show,
                                   const std::vector<Rendering>& new_show) {
  const auto is_skipped = [&](const Rendering& rendering) {
    const auto* const inspected = rendering.as<rendering::Inspected>();
    return inspected != nullptr ? is_volatile(inspected->name) : shown_is_volatile_;
  };
  std::ranges::move(compare_renderings(old_show, new_show, comparison_, options_.files, is_skipped),
                    std::back_inserter(changes_));
}

void StepComparison::compare_variables(const std::string& what, const Members<Value>& old_vars,
                                       const Members<Value>& new_vars) {
  for (const bool equal : {true, false}) {  // the equal ones tell first which storages are the same
    for (const auto& [name, old_value] : old_vars) {
      const Value* const new_value = new_vars.find(name);
      if (is_volatile(name) || (new_value != nullptr && *new_value == old_value) != equal) continue;
      if (new_value == nullptr) {
        changes_.push_back({DifferenceKind::missing, "vars", what + name,
                            "no longer inspected here; was " + value_text(old_value)});
      } else if (auto difference = compare_values(old_value, *new_value, name, comparison_)) {
        changes_.push_back({DifferenceKind::value, "vars", what + name, difference->message, difference});
      }
    }
  }
  for (const auto& [name, new_value] : new_vars) {
    if (!is_volatile(name) && old_vars.find(name) == nullptr)
      changes_.push_back(
          {DifferenceKind::added, "vars", what + name, "inspected here now: " + value_text(new_value)});
  }
}

void StepComparison::compare_names(const std::string& gone, const std::vector<std::string>& old_names,
                                   const std::vector<std::string>& new_names) {
  for (const std::string& name : old_names) {
    if (!contains(new_names, name))
      changes_.push_back({DifferenceKind::missing, "vars", name, "no longer " + gone});
  }
  for (const std::string& name : new_names) {
    if (!contains(old_names, name)) changes_.push_back({DifferenceKind::added, "vars", name, "now " + gone});
  }
}

void StepComparison::compare_claims(const std::vector<Claim>& old_claims,
                                    const std::vector<Claim>& new_claims) {
  const auto compare_side = [&](const char* side, const std::optional<Value>& before,
                                const std::optional<Value>& now) {
    if (auto difference =
            compare_values(before.value_or(Value()), now.value_or(Value()), "claim", comparison_))
      changes_.push_back({DifferenceKind::value, "claims", std::string("claim, ") + side + " side",
                          difference->message, difference});
  };
  for (std::size_t i = 0; i < std::min(old_claims.size(), new_claims.size()); ++i) {
    const Claim &before = old_claims[i], &now = new_claims[i];
    if (before.ok != now.ok) {
      changes_.push_back({DifferenceKind::value, "claims", "claim",
                          (now.ok ? "failed → held" : "held → failed") + claim_text(now)});
    } else if (!shown_is_volatile_) {
      compare_side("left", before.left, now.left);
      compare_side("right", before.right, now.right);
      if (before.threw != now.threw)
        changes_.push_back(
            {DifferenceKind::value, "claims", "claim, what it threw", text_change(before.threw, now.threw)});
    }
  }
  if (old_claims.size() != new_claims.size()) {
    changes_.push_back(
        {DifferenceKind::value, "claims", "claim",
         std::to_string(old_claims.size()) + " → " + std::to_string(new_claims.size()) + " claims"});
  }
}

void StepComparison::compare_printed(const char* field, const char* what, const Printed& old_text,
                                     const Printed& new_text, std::uint64_t old_cut, std::uint64_t new_cut) {
  const Tolerances& tolerances = comparison_.tolerances;
  const bool same = old_text == new_text ||
                    (tolerances.covers_all() &&
                     same_but_for_numbers(old_text.bytes, new_text.bytes, tolerances.find("*", "double")));
  if (!same)
    changes_.push_back({DifferenceKind::rendering, field, what, text_change(old_text.bytes, new_text.bytes)});
  if (old_cut != new_cut) {
    changes_.push_back(
        {DifferenceKind::rendering, field, what,
         "beyond what is kept, " + std::to_string(old_cut) + " → " + std::to_string(new_cut) + " bytes"});
  }
}

}  // namespace lectern
