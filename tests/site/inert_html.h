#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lectern::test {

/// What in this HTML could act: unknown elements, attributes that are not on the list of those that pages
/// use, addresses with another scheme than http, https and mailto, tags that do not end. Empty for what we
/// may show.
std::vector<std::string> active_parts(std::string_view html);

}  // namespace lectern::test
