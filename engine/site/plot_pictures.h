#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lectern {

/// A plot whose place on the page, plot_place's, has this key.
struct PlacedPlot {
  std::string key;
  std::string spec;
  int width, height;  ///< in CSS pixels; a width of 0: that of the text
  int site;
};

/// Puts pictures of plots into their places on a page, for reading without a script and on paper: drawn by
/// Vega in Node.js (site_templates/draw_plots.mjs), wide and narrow, or taken from the page as it was
/// before. Where that fails the data follow as a table. `warn` is told why, with the plot that it concerns.
std::string with_plot_pictures(const std::string& body, const std::vector<PlacedPlot>& plots,
                               const std::string& page_before, const std::filesystem::path& templates,
                               const std::function<void(const PlacedPlot&, const std::string&)>& warn);

}  // namespace lectern
