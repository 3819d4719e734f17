#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern {

/// Vega and Vega-Lite as Node.js runs them, beside the templates; draw_plots.mjs drives them.
inline constexpr const char* kPlotProgram = "draw_plots.bundle.js";

struct PlotDrawing {
  std::string spec;  ///< Vega-Lite
  int width, height;
};

struct DrawnPlot {
  std::string svg;      ///< as Vega writes it
  std::string problem;  ///< why there is none
};

/// Draws them by one Node.js, several at a time, each for at most ten seconds and all for at most a minute.
std::vector<DrawnPlot> draw_plots(const std::vector<PlotDrawing>& drawings,
                                  const std::filesystem::path& templates);

}  // namespace lectern
