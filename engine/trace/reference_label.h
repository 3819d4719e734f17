#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// "[Vaswani+ 2017]" of authors ("Ashish Vaswani" or "Vaswani, Ashish") and a date that begins with the year;
/// empty without authors.
inline std::string reference_label(const std::vector<std::string>& authors, std::string_view date) {
  if (authors.empty()) return {};
  std::string name = authors.front().substr(0, authors.front().find(','));
  while (!name.empty() && name.back() == ' ') name.pop_back();
  if (const std::size_t blank = name.rfind(' '); blank != std::string::npos) name.erase(0, blank + 1);
  std::string label = "[" + name;
  if (authors.size() > 1) label += "+";
  if (!date.empty()) label.append(" ").append(date.substr(0, 4));
  return label + "]";
}

}  // namespace lectern
