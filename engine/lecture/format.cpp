#include "lecture/format.h"

#include <fmt/format.h>

#include "lecture/rendering.h"

namespace lectern {
namespace {

/// rendering::Inspected with a value that is JSON already.
struct InspectedText {
  static constexpr std::string_view kKind = rendering::Inspected::kKind;
  std::string name;
  JsonText value;
  static constexpr auto fields() {
    return std::tuple{Field{"name", &InspectedText::name}, Field{"value", &InspectedText::value, kAlways}};
  }
};

}  // namespace

std::string format_text(std::string_view format, fmt::format_args arguments) {
  try {
    return fmt::vformat(fmt::string_view(format.data(), format.size()), arguments);
  } catch (const fmt::format_error& error) {
    refuse("text: the format \"" + std::string(format) + "\" does not fit its arguments: " + error.what() +
           "; write a brace that stands for itself twice: {{");
  }
}

void inspect_value(std::string_view name, const std::string& json) {
  if (!record::recording()) {
    return print_plain(name.empty() ? readable_value(json)
                                    : std::string(name) + " = " + readable_value(json));
  }
  add_rendering(InspectedText{std::string(name), {json}});
}

}  // namespace lectern
