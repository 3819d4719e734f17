#include "site/taken_parts.h"

namespace lectern {

TakenParts take_parts(std::string_view html, std::string_view place,
                      const std::function<bool(const HtmlTag&)>& is_taken) {
  TakenParts taken;
  std::string& out = taken.html;
  out.reserve(html.size());
  std::size_t at = 0;
  for (auto tag = next_tag(html, 0); tag; tag = next_tag(html, at)) {
    const std::string_view before = html.substr(at, tag->begin - at);
    if (!is_taken(*tag)) {
      out.append(before).append(tag->text);
      at = tag->end;
      continue;
    }
    if (out.ends_with(place) && before.find_first_not_of('\n') == before.npos) {
      taken.parts.back() += before;
    } else {
      out.append(before).append(place);
      taken.parts.emplace_back();
    }
    at = element_end(html, *tag);
    taken.parts.back() += html.substr(tag->begin, at - tag->begin);
  }
  out.append(html.substr(at));
  return taken;
}

}  // namespace lectern
