#include "lecture/format.h"

#include <fmt/format.h>

#include "base/noun.h"
#include "lecture/dedent.h"
#include "lecture/rendering.h"

namespace lectern {
namespace {

/// rendering::Inspected with a value that is JSON already.
struct InspectedText {
  static constexpr std::string_view kKind = rendering::Inspected::kKind;
  std::string name;
  JsonText value;
  static constexpr auto fields() {
    return field_list(Field{"name", &InspectedText::name}, Field{"value", &InspectedText::value, kAlways});
  }
};

}  // namespace

std::string format_text(std::string_view hook, std::string_view format, std::size_t count,
                        fmt::format_args arguments) {
  const auto refuse_format = [&](const std::string& problem) {
    refuse(fmt::format("{}: {}; fields are {{}} and {{:…}}, and {{{{}}}} shows {{}}", hook, problem));
  };
  const std::string text = dedented(format);
  std::string translated;
  const format_strings::Translation translation(text, [&](char c) { translated += c; });
  const std::size_t fields = translation.fields();
  if (!translation.closed()) refuse_format(fmt::format("a field of \"{}\" is not closed", format));
  if (fields != count)
    refuse_format(fmt::format("{}, {}", with_noun(fields, "field"), with_noun(count, "argument")));
  try {
    return fmt::vformat(translated, arguments);
  } catch (const fmt::format_error& error) {
    refuse_format(fmt::format("\"{}\" does not fit its arguments: {}", format, error.what()));
  }
  return {};
}

void inspect_value(std::string_view name, const std::string& json) {
  if (!record::recording()) {
    const std::string value = readable_value(json, true);
    return print_plain(name.empty() ? value : std::string(name) + " = " + value);
  }
  add_rendering(InspectedText{std::string(name), {json}});
}

}  // namespace lectern
