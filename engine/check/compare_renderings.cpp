#include "check/compare_renderings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/files.h"
#include "check/excerpt.h"
#include "trace/decode.h"
#include "trace/encode.h"

namespace lectern {
namespace {

/// Fields of a rendering of any kind as they are written.
struct RenderingFields {
  explicit RenderingFields(const Rendering& rendering) : whole(as_value(JsonText{to_json(rendering)})) {
    if (const auto* const object = whole.as<form::Fields>()) list = object->fields_;
  }

  const Value* find(std::string_view name) const {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& field) { return field.first == name; });
    return found == list.end() ? nullptr : &found->second;
  }
  std::string text(std::string_view name) const {
    const Value* const value = find(name);
    const auto* const text = value == nullptr ? nullptr : value->as<std::string>();
    return text == nullptr ? "" : *text;
  }

  /// "image loss.svg": enough to know it by.
  std::string description() const {
    std::string description = text("kind");
    for (const char* const field : {"src", "name", "title", "url", "function"}) {
      if (const std::string name = text(field); !name.empty()) return description.append(" ").append(name);
    }
    return description;
  }

  Value whole;
  std::vector<Pair<std::string, Value>> list;
};

Difference difference(const std::string& subject, const std::string& message) {
  return {.kind = DifferenceKind::rendering, .field = "show", .subject = subject, .message = message};
}

std::string plain_text(const Value& value) {
  const auto* const text = value.as<std::string>();
  return text == nullptr ? part_text(value) : *text;
}

/// What a kind mainly shows needs no name.
std::string label(const std::string& field) {
  return field == "markdown" || field == "text" ? "" : field + ": ";
}

/// The names of the files that it shows or offers: of two of one kind, in the same order.
std::vector<std::string> file_names(const Rendering& rendering) {
  std::vector<std::string> names;
  const auto add = [&](const auto& form) {
    if constexpr (requires { form.src; }) names.push_back(form.src);
    if constexpr (requires { form.poster; }) names.push_back(form.poster);
    if constexpr (requires { form.captions; }) {
      for (const rendering::Track& track : form.captions) names.push_back(track.src);
    }
    if constexpr (requires { form.starter; }) names.push_back(form.starter);
  };
  std::visit(add, rendering.form);
  return names;
}

/// Whether the bytes of two files differ, as far as both are there.
bool files_differ(const std::string& old_name, const std::string& new_name, const ShownFiles& files) {
  const auto before = files.old_files.find(old_name), now = files.new_files.find(new_name);
  if (before == files.old_files.end() || now == files.new_files.end()) return false;
  return read_file(before->second) != read_file(now->second);
}

std::string count_text(std::size_t count) {
  return count == 1 ? "1 rendering" : std::to_string(count) + " renderings";
}

class RenderingComparison {
 public:
  RenderingComparison(const Comparison& comparison, const ShownFiles& files)
      : comparison_(comparison), files_(files) {}

  std::optional<Difference> compare(const Rendering& old_one, const Rendering& new_one) const {
    const RenderingFields before(old_one), now(new_one);
    if (before.text("kind") != now.text("kind"))
      return difference(now.description(), before.description() + " → " + now.description());
    const auto* const value = new_one.as<rendering::Inspected>();
    if (value != nullptr) return compare_inspected(*old_one.as<rendering::Inspected>(), *value);
    if (new_one.as<rendering::Plot>() == nullptr) {
      auto found = compare_fields(before, now);
      return found ? found : compare_files(old_one, new_one, now.description());
    }
    const std::string change = part_change(before.whole, now.whole);
    return change.empty() ? std::nullopt : std::optional(difference("plot", change));
  }

 private:
  std::optional<Difference> compare_inspected(const rendering::Inspected& before,
                                              const rendering::Inspected& now) const {
    if (before.name != now.name) return difference("value " + now.name, before.name + " → " + now.name);
    auto value = compare_values(before.value, now.value, now.name, comparison_);
    if (!value) return std::nullopt;
    return Difference{DifferenceKind::value, "show", "value " + now.name, value->message, value};
  }

  std::optional<Difference> compare_fields(const RenderingFields& before, const RenderingFields& now) const {
    for (const auto& [field, old_value] : before.list) {
      const Value* const found = now.find(field);
      const Value new_value = found == nullptr ? Value() : *found;
      if (const std::string change = field_change(field, old_value, new_value); !change.empty())
        return difference(now.description(), change);
    }
    for (const auto& [field, new_value] : now.list) {
      if (before.find(field) == nullptr)
        return difference(now.description(), label(field) + text_change("", plain_text(new_value)));
    }
    return std::nullopt;
  }

  std::optional<Difference> compare_files(const Rendering& before, const Rendering& now,
                                          const std::string& description) const {
    const std::vector<std::string> old_names = file_names(before), new_names = file_names(now);
    for (std::size_t i = 0; i < std::min(old_names.size(), new_names.size()); ++i) {
      if (!files_differ(old_names[i], new_names[i], files_)) continue;
      const std::string name = description.ends_with(" " + new_names[i]) ? "" : " " + new_names[i];
      return difference(description, "its file" + name + " has other bytes");
    }
    return std::nullopt;
  }

  /// Empty when the two are the same.
  std::string field_change(const std::string& field, const Value& old_value, const Value& new_value) const {
    if (to_json(old_value) == to_json(new_value) || same_text(old_value, new_value)) return {};
    if (is_scalar(old_value) || is_scalar(new_value))
      return label(field) + text_change(plain_text(old_value), plain_text(new_value));
    const std::string change = part_change(old_value, new_value);
    return change.empty() ? change : field + change;
  }

  bool same_text(const Value& old_value, const Value& new_value) const {
    const auto *const before = old_value.as<std::string>(), *const now = new_value.as<std::string>();
    return before != nullptr && now != nullptr && comparison_.tolerances.covers_all() &&
           same_but_for_numbers(*before, *now, comparison_.tolerances.find("*", "double"));
  }

  /// What differs in lists and objects: "[2][0]: 5 → 7".
  std::string part_change(const Value& old_part, const Value& new_part) const {
    // Memory does not matter here.
    const auto found = compare_values(old_part, new_part, "*", {comparison_.tolerances, nullptr});
    return found ? found->message : "";
  }

  const Comparison& comparison_;
  const ShownFiles& files_;
};

}  // namespace

std::vector<Difference> compare_renderings(const std::vector<Rendering>& old_show,
                                           const std::vector<Rendering>& new_show,
                                           const Comparison& comparison, const ShownFiles& files,
                                           const std::function<bool(const Rendering&)>& is_skipped) {
  std::vector<Difference> differences;
  if (old_show.size() != new_show.size()) {
    differences.push_back(difference(new_show.empty() ? "what it showed" : "what it shows",
                                     count_text(old_show.size()) + " → " + count_text(new_show.size())));
    return differences;
  }
  const RenderingComparison renderings(comparison, files);
  for (std::size_t i = 0; i < old_show.size(); ++i) {
    if (is_skipped(new_show[i])) continue;
    if (auto found = renderings.compare(old_show[i], new_show[i])) differences.push_back(std::move(*found));
  }
  return differences;
}

}  // namespace lectern
