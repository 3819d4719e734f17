#pragma once

#include <string>
#include <string_view>

#include "trace/model.h"

namespace lectern {

/// Where the page's script draws a plot, as high as the plot will be, so that nothing moves when it comes.
/// `name` is for screen readers; `width` in CSS pixels, 0 for that of the text.
std::string plot_place(const JsonText& spec, std::string_view name, int width);

/// JSON for readers, which escape_html leaves valid: characters that it would replace by pictures are escaped
/// as JSON does.
std::string indented_json(const JsonText& json);

}  // namespace lectern
