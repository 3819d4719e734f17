#pragma once

#include <string>
#include <string_view>

#include "trace/fields.h"

namespace lectern {

/// Where the page's script draws a plot, as high as the plot will be, so that nothing moves when it comes.
/// `name` is what those hear who cannot see it; `width` in CSS pixels, 0 for that of the text.
std::string plot_place(const JsonText& spec, std::string_view name, int width);

/// JSON for readers. It is JSON still when it stands in escape_html: what has a picture there is escaped in
/// JSON's way.
std::string indented_json(const JsonText& json);

}  // namespace lectern
