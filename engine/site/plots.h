#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/model.h"

namespace lectern {

/// A specification's height is that of the plotting area; axes and a legend add to it.
int plot_height(const JsonText& text);

/// Where the page's script draws a plot, as high as the plot will be, so that nothing moves when it comes.
/// `name` is for screen readers; `width` in CSS pixels, 0 for that of the text.
std::string plot_place(const JsonText& spec, std::string_view name, int width);

/// The same for plots that are drawn alike.
std::string plot_key(const JsonText& spec, int width);

/// What stands in place of a plot with these problems.
std::string refused_plot(const std::vector<std::string>& problems);

/// JSON that stays valid after escape_html: characters that it would replace by pictures are escaped as in
/// JSON.
std::string indented_json(const JsonText& json);

}  // namespace lectern
