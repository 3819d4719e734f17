#include "check/tolerance.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/characters.h"

namespace lectern {
namespace {

struct TypeTolerance {
  std::string_view word;
  Tolerance tolerance;
};
/// The coarsest first: a type that names several gets the first.
constexpr std::array<TypeTolerance, 10> kTypes{{{"float8_e5m2", {0.25, 0x1p-16}},
                                                {"float8_e4m3fn", {0.125, 0x1p-9}},
                                                {"bfloat16", {1.6e-2, 1e-5}},
                                                {"float16", {1e-3, 1e-5}},
                                                {"half", {1e-3, 1e-5}},
                                                {"float32", {1.3e-6, 1e-5}},
                                                {"float", {1.3e-6, 1e-5}},
                                                {"float64", {1e-7, 1e-7}},
                                                {"double", {1e-7, 1e-7}},
                                                {"", {1.3e-6, 1e-5}}}};

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

bool names(const Json& entry, std::string_view name) {
  const auto list = entry.find("names");
  if (list == entry.end() || !list->is_array()) return false;
  return std::any_of(list->begin(), list->end(), [&](const Json& item) {
    return item.is_string() && (item.get_ref<const std::string&>() == name || item == "*");
  });
}

void take(const Json& entry, const char* field, double& number) {
  const auto found = entry.find(field);
  if (found != entry.end() && found->is_number()) number = found->get<double>();
}

}  // namespace

bool is_close(double old_number, double new_number, const Tolerance& tolerance) {
  if (old_number == new_number) return true;
  if (std::isnan(old_number) || std::isnan(new_number))
    return std::isnan(old_number) && std::isnan(new_number);
  if (std::isinf(old_number) || std::isinf(new_number)) return false;
  return std::abs(new_number - old_number) <= tolerance.abs + tolerance.rel * std::abs(old_number);
}

Tolerance default_tolerance(std::string_view type) {
  return std::find_if(
             kTypes.begin(), kTypes.end(),
             [&](const TypeTolerance& known) { return known.word.empty() || has_word(type, known.word); })
      ->tolerance;
}

Tolerance Tolerances::of(std::string_view name, std::string_view type) const {
  Tolerance tolerance = default_tolerance(type);
  tolerance.rel = rel.value_or(tolerance.rel);
  tolerance.abs = abs.value_or(tolerance.abs);
  if (site == nullptr || !site->is_array()) return tolerance;
  for (const Json& entry : *site) {
    if (!entry.is_object() || !names(entry, name)) continue;
    take(entry, "rel", tolerance.rel);
    take(entry, "abs", tolerance.abs);
  }
  return tolerance;
}

bool Tolerances::covers_all() const {
  return site != nullptr && site->is_array() &&
         std::any_of(site->begin(), site->end(),
                     [](const Json& entry) { return entry.is_object() && names(entry, "*"); });
}

}  // namespace lectern
