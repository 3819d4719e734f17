#include "check/compare_steps.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/json_view.h"
#include "check/excerpt.h"
#include "check/json_values.h"
#include "trace/encode.h"

namespace lectern {
namespace {

using Members = std::vector<JsonMember>;

/// Fields of a step that never count: costs, and which functions ran without being recorded.
bool counts(std::string_view field) {
  constexpr std::array<std::string_view, 4> kNever{"flops", "bytes", "memory", "ran"};
  return std::find(kNever.begin(), kNever.end(), field) == kNever.end();
}

/// Whether a record names a file that is shown: equal names say nothing about the bytes.
bool shows_files(std::string_view text) {
  return text.find("\"src\":") != std::string_view::npos;
}

/// A member of two objects; empty where an object does not have it.
struct MemberPair {
  std::string_view name, old_text, new_text;
};

std::vector<MemberPair> paired(const Members& old_members, const Members& new_members) {
  std::vector<MemberPair> pairs;
  pairs.reserve(old_members.size());
  const bool alike =
      std::equal(old_members.begin(), old_members.end(), new_members.begin(), new_members.end(),
                 [](const JsonMember& a, const JsonMember& b) { return a.name == b.name; });
  if (alike) {
    for (std::size_t i = 0; i < old_members.size(); ++i)
      pairs.push_back({old_members[i].name, old_members[i].value, new_members[i].value});
    return pairs;
  }
  std::unordered_map<std::string_view, std::string_view> others;
  for (const JsonMember& member : new_members) others.emplace(member.name, member.value);
  for (const JsonMember& member : old_members) {
    const auto other = others.find(member.name);
    pairs.push_back({member.name, member.value, other == others.end() ? std::string_view() : other->second});
    if (other != others.end()) others.erase(other);
  }
  for (const JsonMember& member : new_members) {
    if (others.contains(member.name)) pairs.push_back({member.name, {}, member.value});
  }
  return pairs;
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

/// The members of two objects that are not the same text, parsed: most of most steps need not be.
class Differing {
 public:
  Json before = Json::object(), now = Json::object();

  explicit Differing(StoragePairs& storages) : storages_(storages) {}

  /// Goes into members that are objects `levels` deep. Fields that never count are left out on the first
  /// level.
  void find(std::string_view old_object, std::string_view new_object, int levels) {
    find(json_members(old_object), json_members(new_object), before, now, levels, true);
  }

 private:
  void find(const Members& old_members, const Members& new_members, Json& old_part, Json& new_part,
            int levels, bool outermost) {
    for (const auto& [name, old_text, new_text] : paired(old_members, new_members)) {
      if (outermost && !counts(name)) continue;
      if (old_text == new_text && note_storages(new_text, storages_) && !shows_files(new_text)) continue;
      const std::string key = json_unescaped(name);
      if (levels > 0 && old_text.starts_with('{') && new_text.starts_with('{')) {
        find(json_members(old_text), json_members(new_text), old_part[key] = Json::object(),
             new_part[key] = Json::object(), levels - 1, false);
        continue;
      }
      if (!old_text.empty()) old_part[key] = Json::parse(old_text);
      if (!new_text.empty()) new_part[key] = Json::parse(new_text);
    }
  }

  StoragePairs& storages_;
};

bool held(const Json& claim) {
  const Json ok = member_or_null(claim, "ok");
  return ok.is_boolean() && ok.get<bool>();
}

/// What a step recorded, with that of the second one of the same execution.
std::string joined(const Trace& trace, const Step& first, int second) {
  const std::string& after = trace.steps[static_cast<std::size_t>(second)].text;
  if (after.empty()) return first.text;
  if (first.text.empty()) return after;
  Json all = step_json(first);
  const Json more = Json::parse(after);
  for (const auto& [name, value] : more.items()) {
    Json& part = all[name];
    if (part.is_string() && value.is_string()) {
      part = part.get<std::string>() + value.get<std::string>();
    } else if (part.is_array() && value.is_array()) {
      part.insert(part.end(), value.begin(), value.end());
    } else if (part.is_object() && value.is_object()) {
      part.update(value);
    } else {
      part = value;
    }
  }
  return all.dump();
}

/// ": 3 == 4", ": the text of the claim"; empty when the trace has neither.
std::string claim_text(const Json& claim) {
  const Json text = member_or_null(claim, "text"), op = member_or_null(claim, "op");
  if (text.is_string()) return ": " + text.get<std::string>();
  if (!op.is_string()) return {};
  return ": " + value_text(member_or_null(claim, "left")) + " " + op.get<std::string>() + " " +
         value_text(member_or_null(claim, "right"));
}

}  // namespace

std::vector<StepChange> StepComparison::compare(int old_step, int new_step,
                                                const StepAlignment::SecondStep& second) {
  changes_.clear();
  const Step& before = old_.steps[static_cast<std::size_t>(old_step)];
  const Step& now = new_.steps[static_cast<std::size_t>(new_step)];
  std::string old_joined, new_joined;
  const std::string& old_rest =
      second.old_step < 0 ? before.text : (old_joined = joined(old_, before, second.old_step));
  const std::string& new_rest =
      second.new_step < 0 ? now.text : (new_joined = joined(new_, now, second.new_step));
  if (old_rest == new_rest && note_storages(new_rest, storages_) && !shows_files(new_rest)) return {};
  Differing details(storages_);
  details.find(old_rest, new_rest, 1);
  if (details.before.empty() && details.now.empty()) return {};

  old_site_ = &old_.sites[static_cast<std::size_t>(before.site)];
  new_site_ = &new_.sites[static_cast<std::size_t>(now.site)];
  tolerance_ = new_site_->tolerances.empty() ? Json() : Json::parse(to_json(new_site_->tolerances));
  comparison_ = {{options_.rel, options_.abs, &tolerance_}, &storages_};
  const auto compare_field = [&](const char* name, auto compare_with) {
    compare_with(member_or_null(details.before, name), member_or_null(details.now, name));
  };
  compare_field("vars", [&](const Json& a, const Json& b) { compare_variables(a, b); });
  compare_field("clear", [&](const Json& a, const Json& b) { compare_cleared(a, b); });
  compare_field("claims", [&](const Json& a, const Json& b) { compare_claims(a, b); });
  if (!is_volatile("*")) {
    compare_field("show", [&](const Json& a, const Json& b) { compare_shown(a, b); });
    for (const auto& [name, what] : {std::pair{"out", "printed"}, {"err", "printed to standard error"}}) {
      const std::string cut = std::string(name) + "_cut";
      compare_printed(name, what, member_or_null(details.before, name), member_or_null(details.now, name));
      compare_cut(name, what, member_or_null(details.before, cut.c_str()),
                  member_or_null(details.now, cut.c_str()));
    }
  }
  return std::move(changes_);
}

bool StepComparison::is_volatile(const std::string& name) const {
  const auto declares = [&](const Site& site) {
    return std::any_of(site.volatile_names.begin(), site.volatile_names.end(),
                       [&](const std::string& known) { return known == name || known == "*"; });
  };
  return declares(*old_site_) || declares(*new_site_);
}

void StepComparison::compare_variables(const Json& old_vars, const Json& new_vars) {
  for (const auto& [name, old_value] : old_vars.items()) {
    if (is_volatile(name)) continue;
    const auto found = new_vars.find(name);
    if (found == new_vars.end()) {
      changes_.push_back(
          {DifferenceKind::missing, "vars", name, "no longer inspected here; was " + value_text(old_value)});
    } else if (auto difference = compare_values(old_value, *found, name, comparison_)) {
      changes_.push_back({DifferenceKind::value, "vars", name, difference->message, difference});
    }
  }
  for (const auto& [name, new_value] : new_vars.items()) {
    if (!is_volatile(name) && !old_vars.contains(name))
      changes_.push_back(
          {DifferenceKind::added, "vars", name, "inspected here now: " + value_text(new_value)});
  }
}

void StepComparison::compare_cleared(const Json& old_names, const Json& new_names) {
  const auto has = [](const Json& names, const Json& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const Json& name : old_names) {
    if (!has(new_names, name) && name.is_string())
      changes_.push_back(
          {DifferenceKind::missing, "vars", name.get<std::string>(), "no longer cleared here"});
  }
  for (const Json& name : new_names) {
    if (!has(old_names, name) && name.is_string())
      changes_.push_back({DifferenceKind::added, "vars", name.get<std::string>(), "cleared here now"});
  }
}

void StepComparison::compare_claims(const Json& old_claims, const Json& new_claims) {
  for (std::size_t i = 0; i < std::min(old_claims.size(), new_claims.size()); ++i) {
    const Json &before = old_claims[i], &now = new_claims[i];
    if (held(before) != held(now)) {
      changes_.push_back({DifferenceKind::value, "claims", "claim",
                          (held(now) ? "failed → held" : "held → failed") + claim_text(now)});
      continue;
    }
    if (is_volatile("*")) continue;
    for (const char* const side : {"left", "right"}) {
      if (auto difference =
              compare_values(member_or_null(before, side), member_or_null(now, side), "claim", comparison_))
        changes_.push_back({DifferenceKind::value, "claims", std::string("claim, ") + side + " side",
                            difference->message, difference});
    }
  }
  if (old_claims.size() != new_claims.size()) {
    changes_.push_back(
        {DifferenceKind::value, "claims", "claim",
         std::to_string(old_claims.size()) + " → " + std::to_string(new_claims.size()) + " claims"});
  }
}

void StepComparison::compare_shown(const Json& old_show, const Json& new_show) {
  for (RenderingDifference& difference :
       compare_renderings(old_show, new_show, comparison_, options_.files)) {
    const DifferenceKind kind = difference.value ? DifferenceKind::value : DifferenceKind::rendering;
    changes_.push_back({kind, "show", std::move(difference.what), std::move(difference.message),
                        std::move(difference.value)});
  }
}

void StepComparison::compare_cut(const char* name, const char* what, const Json& old_bytes,
                                 const Json& new_bytes) {
  if (old_bytes == new_bytes) return;
  const auto text = [](const Json& bytes) { return bytes.is_null() ? "0" : bytes.dump(); };
  changes_.push_back({DifferenceKind::rendering, name, what,
                      "beyond what is kept, " + text(old_bytes) + " → " + text(new_bytes) + " bytes"});
}

void StepComparison::compare_printed(const char* name, const char* what, const Json& old_text,
                                     const Json& new_text) {
  if (old_text == new_text) return;
  const std::string before = old_text.is_null() ? "" : string_bytes(old_text);
  const std::string now = new_text.is_null() ? "" : string_bytes(new_text);
  const Tolerances& tolerances = comparison_.tolerances;
  if (tolerances.covers_all() && same_but_for_numbers(before, now, tolerances.of("*", "double"))) return;
  changes_.push_back({DifferenceKind::rendering, name, what, text_change(before, now)});
}

}  // namespace lectern
