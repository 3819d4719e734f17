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

bool covers(const SiteTolerance& tolerance, std::string_view name) {
  return std::any_of(tolerance.names.begin(), tolerance.names.end(),
                     [&](const std::string& known) { return known == name || known == "*"; });
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

Tolerance Tolerances::find(std::string_view name, std::string_view type) const {
  Tolerance tolerance = default_tolerance(type);
  tolerance.rel = rel.value_or(tolerance.rel);
  tolerance.abs = abs.value_or(tolerance.abs);
  if (site == nullptr) return tolerance;
  for (const SiteTolerance& declared : *site) {
    if (!covers(declared, name)) continue;
    tolerance.rel = declared.rel.value_or(tolerance.rel);
    tolerance.abs = declared.abs.value_or(tolerance.abs);
  }
  return tolerance;
}

bool Tolerances::covers_all() const {
  return site != nullptr && std::any_of(site->begin(), site->end(), [](const SiteTolerance& tolerance) {
           return covers(tolerance, "*");
         });
}

}  // namespace lectern
