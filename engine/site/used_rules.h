#pragma once

#include <set>
#include <string>
#include <string_view>

namespace lectern {

/// A style sheet without the rules for elements of classes that are not in `classes`: for one whose classes
/// no script sets, as KaTeX's. Rules that begin with @ stay.
std::string with_used_rules(std::string_view css, const std::set<std::string>& classes);

}  // namespace lectern
