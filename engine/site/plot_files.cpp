#include "site/plot_files.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "site/plot_drawing.h"
#include "site/plots.h"

namespace lectern {
namespace {

constexpr int kPlotFileWidth = 700;

/// The value that a style sheet gives a variable first, which is that of the light theme.
std::string light_value(const std::string& style, const std::string& variable) {
  const std::string begin = variable + ":";
  std::size_t at = style.find(begin);
  if (at == std::string::npos) return "currentColor";
  at = style.find_first_not_of(' ', at + begin.size());
  return style.substr(at, style.find_first_of(";}", at) - at);
}

/// With the values of the page's variables, a font and a background.
std::string standing_alone(std::string svg, const std::string& style) {
  constexpr std::string_view kUse = "var(", kFont = "font-family=\"inherit\"";
  for (std::size_t at = svg.find(kUse); at != std::string::npos; at = svg.find(kUse, at + 1)) {
    const std::size_t end = svg.find(')', at);
    if (end == std::string::npos) break;
    const std::string name = svg.substr(at + kUse.size(), end - at - kUse.size());
    svg.replace(at, end + 1 - at, light_value(style, name));
  }
  for (std::size_t at = svg.find(kFont); at != std::string::npos; at = svg.find(kFont, at + 1))
    svg.replace(at, kFont.size(), "font-family=\"sans-serif\"");
  const std::size_t root = svg.find("<svg"), end = svg.find('>', root);
  if (root == std::string::npos || end == std::string::npos) return {};
  return svg.insert(end + 1,
                    "<rect width=\"100%\" height=\"100%\" fill=\"" + light_value(style, "--paper") + "\"/>");
}

}  // namespace

std::map<std::string, std::string> plot_files(const Trace& trace, const std::filesystem::path& templates) {
  std::map<std::string, std::string> files;
  std::vector<PlotDrawing> drawings;
  for (const Step& step : trace.steps) {
    if (step.text.find("\"spec\"") == std::string::npos) continue;
    const StepDetails details = step.details();
    for (const Rendering& rendering : details.show) {
      const auto* const plot = rendering.as<rendering::Plot>();
      if (plot == nullptr || plot->spec.empty() || !files.try_emplace(plot->spec.text).second) continue;
      const int width = plot->width > 0 ? std::min(plot->width, kPlotFileWidth) : kPlotFileWidth;
      drawings.push_back({plot->spec.text, width, plot_height(plot->spec)});
    }
  }
  files.clear();
  if (drawings.empty()) return files;
  const std::string style = read_file(templates / "assets/style.css");
  const std::vector<DrawnPlot> drawn = draw_plots(drawings, templates);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    std::string svg = standing_alone(drawn[i].svg, style);
    if (!svg.empty()) files.emplace(drawings[i].spec, std::move(svg));
  }
  return files;
}

}  // namespace lectern
