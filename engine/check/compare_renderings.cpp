#include "check/compare_renderings.h"

#include "base/files.h"
#include "check/align.h"
#include "check/excerpt.h"
#include "check/json_values.h"

namespace lectern {
namespace {

std::string kind_of(const Json& rendering) {
  return rendering.is_object() ? text_member(rendering, "kind") : "";
}

/// "image loss.svg": enough to know it by.
std::string described(const Json& rendering) {
  std::string text = kind_of(rendering);
  for (const char* const field : {"src", "name", "title", "url", "function"}) {
    const std::string name = rendering.is_object() ? text_member(rendering, field) : "";
    if (!name.empty()) return text.append(" ").append(name);
  }
  return text;
}

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value_text(value);
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

  std::optional<RenderingDifference> compare(const Json& old_one, const Json& new_one) const {
    const std::string kind = kind_of(new_one);
    if (kind_of(old_one) != kind)
      return RenderingDifference{described(new_one), described(old_one) + " → " + described(new_one)};
    if (kind == "value") return compare_inspected(old_one, new_one);
    if (kind == "plot") return compare_plots(old_one, new_one);
    for (const auto& [field, old_value] : old_one.items()) {
      const auto found = new_one.find(field);
      const Json new_value = found == new_one.end() ? Json() : *found;
      if (old_value == new_value || same_text(old_value, new_value)) continue;
      if (old_value.is_structured() && new_value.is_structured()) {
        if (const std::string change = part_change(old_value, new_value); !change.empty())
          return RenderingDifference{described(new_one), field + change};
        continue;
      }
      return RenderingDifference{described(new_one),
                                 label(field) + text_change(shown(old_value), shown(new_value))};
    }
    for (const auto& [field, new_value] : new_one.items()) {
      if (!old_one.contains(field))
        return RenderingDifference{described(new_one), label(field) + text_change("", shown(new_value))};
    }
    if ((kind == "image" || kind == "video") &&
        files_differ(text_member(old_one, "src"), text_member(new_one, "src"), files_))
      return RenderingDifference{described(new_one), "its file has other bytes"};
    return std::nullopt;
  }

 private:
  /// What a kind mainly shows needs no name.
  static std::string label(const std::string& field) {
    return field == "markdown" || field == "text" ? "" : field + ": ";
  }

  bool same_text(const Json& old_value, const Json& new_value) const {
    if (!comparison_.tolerances.covers_all() || !old_value.is_string() || !new_value.is_string())
      return false;
    return same_but_for_numbers(old_value.get_ref<const std::string&>(),
                                new_value.get_ref<const std::string&>(),
                                comparison_.tolerances.of("*", "double"));
  }

  std::optional<RenderingDifference> compare_inspected(const Json& old_one, const Json& new_one) const {
    const std::string name = text_member(new_one, "name");
    if (text_member(old_one, "name") != name)
      return RenderingDifference{"value " + name, text_member(old_one, "name") + " → " + name};
    auto difference =
        compare_values(old_one.value("value", Json()), new_one.value("value", Json()), name, comparison_);
    if (!difference) return std::nullopt;
    return RenderingDifference{"value " + name, difference->message, difference};
  }

  std::optional<RenderingDifference> compare_plots(const Json& old_one, const Json& new_one) const {
    const std::string change = part_change(old_one, new_one);
    if (change.empty()) return std::nullopt;
    return RenderingDifference{"plot", change};
  }

  /// What differs in lists and objects: "[2][0]: 5 → 7".
  std::string part_change(const Json& old_part, const Json& new_part) const {
    // Memory is no matter here, and a field of a specification may have any name.
    const Comparison numbers{comparison_.tolerances, nullptr};
    const auto difference = compare_values(Json::array({old_part}), Json::array({new_part}), "*", numbers);
    return difference ? difference->message.substr(difference->message.starts_with("[0]") ? 3 : 0) : "";
  }

  const Comparison& comparison_;
  const ShownFiles& files_;
};

}  // namespace

std::vector<RenderingDifference> compare_renderings(const Json& old_show, const Json& new_show,
                                                    const Comparison& comparison, const ShownFiles& files) {
  const auto list = [](const Json& show) { return show.is_array() ? show : Json::array(); };
  const Json old_list = list(old_show), new_list = list(new_show);
  std::vector<RenderingDifference> differences;
  if (old_list.size() != new_list.size()) {
    differences.push_back({new_list.empty() ? "what it showed" : "what it shows",
                           count_text(old_list.size()) + " → " + count_text(new_list.size())});
    return differences;
  }
  const RenderingComparison renderings(comparison, files);
  for (std::size_t i = 0; i < old_list.size(); ++i) {
    if (auto difference = renderings.compare(old_list[i], new_list[i]))
      differences.push_back(std::move(*difference));
  }
  return differences;
}

}  // namespace lectern
