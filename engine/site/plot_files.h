#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "trace/trace.h"

namespace lectern {

/// The plots of a trace as SVG files that stand alone, by their specifications: in the page's colours of a
/// light theme, on its paper, 700 CSS pixels wide unless the plot has a width. Those that cannot be drawn
/// (plot_drawing.h) are not among them.
std::map<std::string, std::string> plot_files(const Trace& trace, const std::filesystem::path& templates);

}  // namespace lectern
