#include <string>
#include <vector>

#include "site/renderings.h"
#include "trace/json_fields.h"
#include "trace/reference_label.h"

namespace lectern {

std::vector<std::string> list_field(const Json& object, const char* name) {
  std::vector<std::string> list;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return list;
  for (const Json& item : *found) {
    if (item.is_string()) list.push_back(item.get<std::string>());
  }
  return list;
}

std::string reference_label(const Json& rendering) {
  const std::string label = text_member(rendering, "label");
  if (!label.empty()) return label;
  const std::string made = reference_label(list_field(rendering, "authors"), text_member(rendering, "date"));
  if (!made.empty()) return made;
  const std::string title = text_member(rendering, "title");
  return title.empty() ? text_member(rendering, "url") : title;
}

std::string author_list(const std::vector<std::string>& authors) {
  constexpr std::size_t kMost = 3;
  std::string out;
  const bool shortened = authors.size() > kMost;
  const std::size_t count = shortened ? kMost : authors.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += !shortened && i + 1 == count ? " and " : ", ";
    out += authors[i];
  }
  return shortened ? out + " et al." : out;
}

}  // namespace lectern
