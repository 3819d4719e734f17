#include "site/source_rows.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "site/script_call.h"
#include "site/taken_parts.h"

namespace lectern {

std::string take_source_rows(std::string& body) {
  TakenParts taken = take_parts(body, "<template></template>", [](const HtmlTag& tag) {
    const bool raw = tag.is_a("raw");
    return tag.name == "div" &&
           ((tag.is_a("row") && (raw || tag.is_a("hide"))) || (raw && tag.is_a("block")));
  });
  if (taken.parts.empty()) return {};
  body = std::move(taken.html);
  return script_call("lecternSource", taken.parts);
}

}  // namespace lectern
