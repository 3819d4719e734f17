#include "site/plots.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fnv.h"
#include "base/html.h"
#include "base/utf8.h"

namespace lectern {
namespace {

using OrderedJson = nlohmann::ordered_json;

}  // namespace

int plot_height(const JsonText& text) {
  constexpr double kDefault = 250, kAround = 70, kLeast = 40, kMost = 1200;
  double height = kDefault;
  const OrderedJson spec = OrderedJson::parse(text.text);
  if (spec.is_object()) {
    const auto given = spec.find("height");
    if (given != spec.end() && given->is_number()) height = given->get<double>();
  }
  return static_cast<int>(std::lround(std::clamp(height, kLeast, kMost) + kAround));
}

std::string plot_place(const JsonText& spec, std::string_view name, int width) {
  return fmt::format(
      "<div class=\"chart\" role=\"img\" aria-label=\"{}\" style=\"--height:{}px{}\" data-plot=\"{}\"></div>",
      escape_html(name.empty() ? "Plot" : name), plot_height(spec),
      width > 0 ? fmt::format(";max-width:{}px", width) : std::string(), plot_key(spec, width));
}

std::string plot_key(const JsonText& spec, int width) {
  return fmt::format("{:016x}", fnv1a_64(spec.text, fnv1a_64(std::to_string(width))));
}

std::string refused_plot(const std::vector<std::string>& problems) {
  std::string html = "<div class=\"chart failed\">";
  for (const std::string& problem : problems)
    html += "<p class=\"missing\">This plot can’t be drawn: " + escape_html(problem) + "</p>";
  return html + "</div>";
}

std::string indented_json(const JsonText& json) {
  const std::string text =
      OrderedJson::parse(json.text).dump(2, ' ', false, OrderedJson::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = next_character(rest);
    if (with_pictures(character) == character) {
      out += character;
    } else {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(utf8_code_point(character)));
    }
    rest.remove_prefix(character.size());
  }
  return out;
}

}  // namespace lectern
