#include "site/renderings.h"
#include "trace/reference_label.h"

namespace lectern {

std::string reference_label(const rendering::Link& link) {
  if (!link.label.empty()) return link.label;
  const std::string made = reference_label(link.authors, link.date);
  if (!made.empty()) return made;
  return link.title.empty() ? link.url : link.title;
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
