#include "check/accept.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <unordered_map>

#include "base/error.h"
#include "base/files.h"
#include "check/align_steps.h"
#include "check/execution.h"
#include "trace/align.h"
#include "trace/step_text.h"
#include "trace/writer.h"

namespace lectern {
namespace {
namespace fs = std::filesystem;

/// Whether an item is about the statements and their order, not about what one of them did.
bool structural(const Difference& item) {
  return *item.field == '\0';
}

/// The numbers of storages in a part of a step's details, wherever they are in it.
template <typename T, typename Visit>
void for_each_storage(T& part, const Visit& visit) {
  if constexpr (std::is_same_v<T, Value> || std::is_same_v<T, Rendering>) {
    std::visit([&](auto& form) { for_each_storage(form, visit); }, part.form);
  } else if constexpr (HasFields<T>) {
    for_each_field<T>([&](const auto& field) {
      auto& member = part.*field.member;
      if constexpr (std::is_same_v<decltype(member), std::int64_t&>) {
        if (field.name == "storage" && member != 0) visit(member);
      } else {
        for_each_storage(member, visit);
      }
    });
  } else if constexpr (requires { part.first; }) {
    for_each_storage(part.first, visit);
    for_each_storage(part.second, visit);
  } else if constexpr (requires { part.has_value(); }) {
    if (part) for_each_storage(*part, visit);
  } else if constexpr (requires { *part; }) {
    for_each_storage(*part, visit);
  } else if constexpr (std::ranges::range<T> && !std::is_same_v<T, std::string>) {
    for (auto& item : part) for_each_storage(item, visit);
  }
}

/// What corresponds to the steps of one trace in another.
struct Counterparts {
  /// Of an execution that has a second step in only one of the traces; -1: not in this one.
  struct Second {
    int own = -1, other = -1;
  };
  std::vector<int> step;                     ///< -1: none
  std::unordered_map<int, Second> second{};  ///< by the first step
};

Counterparts of_old(const StepAlignment& steps) {
  Counterparts result{steps.new_step};
  for (const auto& [first, second] : steps.second)
    result.second[steps.old_step[index(first)]] = {second.old_step, second.new_step};
  return result;
}
Counterparts of_new(const StepAlignment& steps) {
  Counterparts result{steps.old_step};
  for (const auto& [first, second] : steps.second) result.second[first] = {second.new_step, second.old_step};
  return result;
}

/// Puts parts of one trace's steps into those of another, which has its own numbers for storages.
class Patcher {
 public:
  Patcher(Trace base, const Trace& other, Counterparts counterparts)
      : base_(std::move(base)), other_(other), counterparts_(std::move(counterparts)) {
    for (int step = 0; step < static_cast<int>(base_.steps.size()); ++step) learn_storages(step);
  }

  /// Takes the item's part over at every execution of this site. What an execution did is recorded at its
  /// last step.
  void take(const Difference& item, int site) {
    for (int step = 0; step < static_cast<int>(base_.steps.size()); ++step) {
      if (base_.steps[index(step)].site != site || counterparts_.step[index(step)] < 0) continue;
      const int second = second_of(step).own;
      if (second >= 0) take_at(step, item, StepDetails());
      take_at(second >= 0 ? second : step, item, other_details(step));
    }
  }

  Trace result() && { return std::move(base_); }

 private:
  Counterparts::Second second_of(int step) const {
    const auto found = counterparts_.second.find(step);
    return found == counterparts_.second.end() ? Counterparts::Second() : found->second;
  }
  /// Of the counterpart of the execution whose first step this is.
  StepDetails other_details(int step) const {
    return execution_details(other_, counterparts_.step[index(step)], second_of(step).other);
  }

  void take_at(int step, const Difference& item, StepDetails other) {
    StepDetails details = base_.steps[index(step)].details();
    take(item, details, std::move(other));
    base_.steps[index(step)].set_details(details);
  }

  void take(const Difference& item, StepDetails& details, StepDetails other) {
    const std::string_view name = item.field;
    if (name == "vars") return take_variable(item.subject, details, other);
    for_each_field<StepDetails>([&](const auto& field) {
      const bool cut = field.name.starts_with(name) && field.name.substr(name.size()) == "_cut";
      if (field.name != name && !cut) return;
      details.*field.member = std::move(other.*field.member);
      renumber(details.*field.member);
    });
  }

  void take_variable(const std::string& name, StepDetails& details, const StepDetails& other) {
    const auto variable = std::find_if(details.vars.begin(), details.vars.end(),
                                       [&](const auto& known) { return known.first == name; });
    if (const Value* const value = other.vars.find(name); value == nullptr) {
      if (variable != details.vars.end()) details.vars.erase(variable);
    } else {
      Value& taken =
          variable != details.vars.end() ? variable->second : details.vars.emplace_back(name, Value()).second;
      taken = *value;
      renumber(taken);
    }
    std::erase(details.clear, name);
    details.clear.insert(details.clear.end(),
                         static_cast<std::size_t>(std::count(other.clear.begin(), other.clear.end(), name)),
                         name);
  }

  void learn_storages(int step) {
    const auto has_storages = [&](int own) {
      return own >= 0 && base_.steps[index(own)].text.find("\"storage\":") != std::string::npos;
    };
    if (!has_storages(step) && !has_storages(second_of(step).own)) return;
    StepDetails details = execution_details(base_, step, second_of(step).own);
    for_each_storage(details, [&](std::int64_t number) { largest_ = std::max(largest_, number); });
    if (counterparts_.step[index(step)] < 0) return;
    const StepDetails other = other_details(step);
    for (const auto& [name, value] : details.vars) {
      const Value* const counterpart = other.vars.find(name);
      if (counterpart == nullptr) continue;
      const form::Tensor *const own = value.tensor(), *const others = counterpart->tensor();
      if (own != nullptr && others != nullptr && own->storage != 0 && others->storage != 0)
        own_storage_.try_emplace(others->storage, own->storage);
    }
  }

  template <typename T>
  void renumber(T& part) {
    for_each_storage(part, [&](std::int64_t& number) {
      const auto [known, is_new] = own_storage_.try_emplace(number, largest_ + 1);
      if (is_new) ++largest_;
      number = known->second;
    });
  }

  Trace base_;
  const Trace& other_;
  Counterparts counterparts_;
  std::unordered_map<std::int64_t, std::int64_t> own_storage_;
  std::int64_t largest_ = 0;
};

}  // namespace

bool ended_by_itself(const Trace& trace) {
  const std::string& by = trace.end.by;
  return trace.complete() && by != "killed" && by != "interrupted" && by != "orphaned";
}

Trace accepted(Trace trace) {
  constexpr std::array<std::string_view, 4> kCosts{"flops", "bytes", "memory", "categories"};
  if (!ended_by_itself(trace)) {
    throw Error(trace.lecture + ": its run did not end by itself (" + trace.end.by +
                "), so there is no whole trace to accept; run it to its end first");
  }
  for (Step& step : trace.steps) {
    step.ns = 0;
    step.text = without_members(step.text, kCosts);
  }
  if (trace.profile) trace.profile->ceilings.clear();
  return trace;
}

Trace accept_items(const Trace& old_trace, const Trace& new_trace, const DiffOptions& options,
                   const std::set<std::string>& ids) {
  const Diff diff = diff_traces(old_trace, new_trace, options);
  for (const std::string& id : ids) {
    const bool known = std::any_of(diff.items.begin(), diff.items.end(),
                                   [&](const Difference& item) { return item.id == id; });
    if (!known)
      throw Error(new_trace.lecture + ": there is no difference #" + id + "; `lectern check` lists them");
  }
  const auto asked = [&](const Difference& item) { return ids.contains(item.id); };
  const SiteAlignment sites = align_sites(old_trace, new_trace);
  // What a statement that was changed does now comes with the statement.
  const bool new_structure = std::any_of(diff.items.begin(), diff.items.end(), [&](const Difference& item) {
    return asked(item) && (structural(item) || sites.changed[index(item.new_site)]);
  });
  const StepAlignment steps = align_steps(old_trace, new_trace, sites);
  Patcher patcher = new_structure ? Patcher(new_trace, old_trace, of_new(steps))
                                  : Patcher(old_trace, new_trace, of_old(steps));
  for (const Difference& item : diff.items) {
    if (!structural(item) && asked(item) != new_structure)
      patcher.take(item, new_structure ? item.new_site : item.old_site);
  }
  return std::move(patcher).result();
}

void write_accepted(const Trace& trace, std::map<std::string, fs::path> files, const fs::path& path) {
  // What a compiler makes again, and another one otherwise.
  std::erase_if(files,
                [](const auto& file) { return file.first.ends_with(rendering::Calculator::kModuleEnding); });
  fs::path folder = path;
  folder.replace_extension(".assets");
  const std::set<fs::path> kept = copy_files(files, folder);
  write_file_if_changed(path, write_trace(trace));
  keep_files(folder, kept);
}

void remove_accepted(const fs::path& path) {
  remove_tree(path);
  remove_tree(fs::path(path).replace_extension(".assets"));
}

}  // namespace lectern
