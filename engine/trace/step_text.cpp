#include "trace/step_text.h"

#include <algorithm>

#include <simdjson.h>

#include "base/json_text.h"

namespace lectern {

std::string without_members(const std::string& details, std::span<const std::string_view> names) {
  const auto occurs = [&](std::string_view name) { return details.find(name) != std::string::npos; };
  if (std::none_of(names.begin(), names.end(), occurs)) return details;
  std::string rest;
  rest.reserve(details.size());
  thread_local simdjson::ondemand::parser parser;  // keeps its memory
  const simdjson::padded_string padded(details);
  simdjson::ondemand::document document = parser.iterate(padded);
  for (simdjson::ondemand::field field : document.get_object()) {
    const std::string_view name = field.unescaped_key();
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    rest += rest.empty() ? '{' : ',';
    append_json_string(rest, name);
    rest.append(":").append(std::string_view(simdjson::to_json_string(field.value())));
  }
  if (!rest.empty()) rest += '}';
  return rest;
}

}  // namespace lectern
