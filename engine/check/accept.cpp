#include "check/accept.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/files.h"
#include "check/align.h"
#include "check/align_steps.h"
#include "check/json_values.h"
#include "trace/writer.h"

namespace lectern {
namespace {
namespace fs = std::filesystem;

/// Whether an item is about the statements and their order, not about what one of them did.
bool structural(const Difference& item) {
  return *item.field == '\0';
}

/// Puts parts of one trace's steps into those of another, which has its own numbers for storages.
class Patcher {
 public:
  Patcher(Trace base, const Trace& other, std::vector<int> other_step)
      : base_(std::move(base)), other_(other), other_step_(std::move(other_step)) {
    for (std::size_t i = 0; i < base_.steps.size(); ++i) learn_storages(i);
  }

  /// Takes the item's part over at every step of this site.
  void take(const Difference& item, int site) {
    for (std::size_t i = 0; i < base_.steps.size(); ++i) {
      if (base_.steps[i].site != site || other_step_[i] < 0) continue;
      Json details = step_json(base_.steps[i]);
      const Json others = step_json(other_.steps[index(other_step_[i])]);
      const std::string field = item.field;
      if (field == "vars") {
        take_member(details["vars"], others.value("vars", Json::object()), item.subject);
        take_cleared(details, others, item.subject);
        if (details["vars"].empty()) details.erase("vars");
      } else {
        take_member(details, others, field);
        take_member(details, others, field + "_cut");  // of what was printed
      }
      base_.steps[i].text = details.empty() ? "" : details.dump();
    }
  }

  Trace result() && { return std::move(base_); }

 private:
  void take_member(Json& to, const Json& from, const std::string& name) {
    const auto found = from.find(name);
    if (found == from.end()) {
      if (to.is_object()) to.erase(name);
    } else {
      to[name] = renumbered(*found);
    }
  }

  static void take_cleared(Json& to, const Json& from, const std::string& name) {
    Json names = Json::array();
    for (const Json& known : to.value("clear", Json::array())) {
      if (known != name) names.push_back(known);
    }
    for (const Json& known : from.value("clear", Json::array())) {
      if (known == name) names.push_back(known);
    }
    to.erase("clear");
    if (!names.empty()) to["clear"] = std::move(names);
  }

  void learn_storages(std::size_t step) {
    const Json own_vars = step_json(base_.steps[step]).value("vars", Json::object());
    for (const auto& [name, value] : own_vars.items()) note_largest(value);
    if (other_step_[step] < 0) return;
    const Json other_vars = step_json(other_.steps[index(other_step_[step])]).value("vars", Json::object());
    for (const auto& [name, value] : own_vars.items()) {
      const auto other = other_vars.find(name);
      if (other == other_vars.end() || !is_tensor(value) || !is_tensor(*other)) continue;
      if (value.contains("storage") && other->contains("storage"))
        own_storage_.try_emplace((*other)["storage"].get<std::int64_t>(),
                                 value["storage"].get<std::int64_t>());
    }
  }

  void note_largest(const Json& value) {
    if (value.is_object() && value.contains("storage") && value["storage"].is_number_integer())
      largest_ = std::max(largest_, value["storage"].get<std::int64_t>());
    if (!value.is_structured() || is_tensor(value)) return;
    for (const Json& part : value) note_largest(part);
  }

  Json renumbered(Json value) {
    if (value.is_object() && value.contains("storage") && value["storage"].is_number_integer()) {
      const auto [known, is_new] =
          own_storage_.try_emplace(value["storage"].get<std::int64_t>(), largest_ + 1);
      if (is_new) ++largest_;
      value["storage"] = known->second;
    } else if (value.is_structured()) {
      for (Json& part : value) part = renumbered(std::move(part));
    }
    return value;
  }

  Trace base_;
  const Trace& other_;
  std::vector<int> other_step_;
  std::unordered_map<std::int64_t, std::int64_t> own_storage_;
  std::int64_t largest_ = 0;
};

}  // namespace

bool ended_by_itself(const Trace& trace) {
  const std::string& by = trace.end.by;
  return trace.complete() && by != "killed" && by != "interrupted" && by != "orphaned";
}

Trace accepted(Trace trace) {
  if (!ended_by_itself(trace)) {
    throw Error(trace.lecture + ": its run did not end by itself (" + trace.end.by +
                "), so there is no whole trace to accept; run it to its end first");
  }
  for (Step& step : trace.steps) {
    step.ns = 0;
    if (step.text.empty()) continue;
    Json details = step_json(step);
    std::size_t removed = 0;
    for (const char* const cost : {"flops", "bytes", "memory"}) removed += details.erase(cost);
    if (removed > 0) step.text = details.empty() ? "" : details.dump();
  }
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
  const bool new_structure = std::any_of(diff.items.begin(), diff.items.end(), [&](const Difference& item) {
    return asked(item) && structural(item);
  });
  const StepAlignment steps = align_steps(old_trace, new_trace, align_sites(old_trace, new_trace));
  Patcher patcher = new_structure ? Patcher(new_trace, old_trace, steps.old_step)
                                  : Patcher(old_trace, new_trace, steps.new_step);
  for (const Difference& item : diff.items) {
    if (!structural(item) && asked(item) != new_structure)
      patcher.take(item, new_structure ? item.new_site : item.old_site);
  }
  return std::move(patcher).result();
}

void write_accepted(const Trace& trace, const std::map<std::string, fs::path>& files, const fs::path& path) {
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
