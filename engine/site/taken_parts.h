#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "site/html_tags.h"

namespace lectern {

/// HTML without some of its elements, which a script puts back.
struct TakenParts {
  std::string html;
  std::vector<std::string> parts;  ///< what stood at each place, in order
};

/// Takes out the elements whose start tags `is_taken` says so of; neighbours are one part, in whose place
/// stands `place`.
TakenParts take_parts(std::string_view html, std::string_view place,
                      const std::function<bool(const HtmlTag&)>& is_taken);

}  // namespace lectern
