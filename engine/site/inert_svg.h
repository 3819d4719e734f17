#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// An SVG element as part of an HTML page: shapes, text and styling, no scripts or links, nothing external.
/// `attributes` are the element's own; names that its parts refer to begin with `prefix`. Empty when it is
/// not SVG as Vega writes it, or contains anything that pictures do not need.
std::string inert_svg(std::string_view svg, std::string_view attributes, std::string_view prefix);

}  // namespace lectern
