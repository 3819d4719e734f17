#include "site/plot_pictures.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/fnv.h"
#include "site/inert_svg.h"
#include "site/plot_drawing.h"
#include "site/plot_table.h"

namespace lectern {
namespace {

/// Of the column of a wide page and of a phone, in CSS pixels (css/plots.css).
constexpr int kWide = 700, kNarrow = 340;

/// Of what draws plots, and how wide.
std::string program_version(const std::filesystem::path& templates) {
  return fmt::format("{:016x}-{}-{}", fnv1a_64(read_file(templates / kPlotProgram)), kWide, kNarrow);
}

/// What the place of a plot ends with.
std::string place_end(const std::string& key) {
  return "data-plot=\"" + key + "\">";
}

/// The pictures of a plot in a page that was made with the same drawing program; else empty.
std::string pictures_before(const std::string& page, const std::string& key, const std::string& version) {
  const std::size_t place = page.find(place_end(key));
  if (place == std::string::npos) return {};
  const std::size_t begin = place + place_end(key).size();
  std::string pictures = page.substr(begin, page.find("</div>", begin) - begin);
  const bool same = pictures.starts_with("<svg class=\"still") &&
                    pictures.find("data-drawn=\"" + version + "\"") != std::string::npos;
  return same ? pictures : std::string();
}

/// The number of a picture's attribute.
double measure(const std::string& svg, const std::string& name) {
  const std::string begin = " " + name + "=\"";
  const std::size_t at = svg.find(begin);
  return at == std::string::npos ? 0 : std::atof(svg.c_str() + at + begin.size());
}

struct Picture {
  std::string svg, problem;
};

/// One picture where it is as large as it likes, or a wide and a narrow one.
Picture both(const PlacedPlot& plot, const DrawnPlot& wide, const DrawnPlot& narrow,
             const std::string& version) {
  const auto inert = [&](const DrawnPlot& drawn, const char* kind) {
    return inert_svg(drawn.svg,
                     fmt::format("class=\"still {}\" aria-hidden=\"true\" data-drawn=\"{}\"", kind, version),
                     fmt::format("plot-{}-{}-", plot.key, kind));
  };
  const std::string problem = wide.problem.empty() ? narrow.problem : wide.problem;
  if (!problem.empty()) return {"", problem};
  const bool own_size =
      measure(wide.svg, "height") > plot.height + 1 || measure(wide.svg, "width") > kWide + 1;
  const std::string first = inert(wide, own_size ? "own" : "wide"), second = inert(narrow, "narrow");
  if (first.empty() || second.empty()) return {"", "its picture holds what a picture should not"};
  return {own_size ? first : first + second, ""};
}

std::map<std::string, Picture> draw(const std::vector<PlacedPlot>& plots, const std::string& version,
                                    const std::filesystem::path& templates) {
  std::vector<PlotDrawing> drawings;
  for (const PlacedPlot& plot : plots) {
    for (const int width : {kWide, kNarrow})
      drawings.push_back({plot.spec, plot.width > 0 ? std::min(plot.width, width) : width, plot.height});
  }
  const std::vector<DrawnPlot> drawn = draw_plots(drawings, templates);
  std::map<std::string, Picture> pictures;
  for (std::size_t i = 0; i < plots.size(); ++i)
    pictures[plots[i].key] = both(plots[i], drawn[2 * i], drawn[2 * i + 1], version);
  return pictures;
}

/// The picture, in a place of its own size where it has one.
void fill(std::string& body, std::size_t place, const std::string& key, const std::string& svg) {
  const std::size_t end = place + place_end(key).size();
  body.insert(end, svg);
  if (svg.starts_with("<svg class=\"still own")) {
    constexpr std::string_view kChart = "<div class=\"chart";
    body.insert(body.rfind(kChart, place) + kChart.size(), " own");
  }
}

/// Where a plot stands a second time, names inside its picture must be others.
std::string renamed(std::string svg, const std::string& key, int copy) {
  const std::string name = "plot-" + key + "-";
  for (std::size_t at = svg.find(name); at != std::string::npos; at = svg.find(name, at + name.size()))
    svg.insert(at + name.size(), std::to_string(copy) + "-");
  return svg;
}

}  // namespace

std::string with_plot_pictures(const std::string& body, const std::vector<PlacedPlot>& plots,
                               const std::string& page_before, const std::filesystem::path& templates,
                               const std::function<void(const PlacedPlot&, const std::string&)>& warn) {
  std::vector<PlacedPlot> missing;
  std::map<std::string, Picture> pictures;
  std::string version;
  for (const PlacedPlot& plot : plots) {
    if (body.find(place_end(plot.key)) == std::string::npos) continue;  // of a pass that is not the last
    if (version.empty()) version = program_version(templates);
    const std::string before = pictures_before(page_before, plot.key, version);
    if (before.empty()) {
      missing.push_back(plot);
    } else {
      pictures[plot.key] = {before, ""};
    }
  }
  if (!missing.empty()) pictures.merge(draw(missing, version, templates));
  std::string out = body;
  std::set<std::string> told;
  for (const PlacedPlot& plot : plots) {
    const auto picture = pictures.find(plot.key);
    if (picture == pictures.end()) continue;
    const auto& [svg, problem] = picture->second;
    if (!problem.empty() && told.insert(problem).second) warn(plot, problem);
    const std::string table = problem.empty() ? "" : plot_table(plot.spec);
    int copy = 1;
    const std::string end = place_end(plot.key);
    for (std::size_t at = out.find(end); at != std::string::npos;
         at = out.find(end, at + end.size()), ++copy) {
      if (problem.empty()) {
        fill(out, at, plot.key, copy == 1 ? svg : renamed(svg, plot.key, copy));
      } else {
        out.insert(out.find("</div>", at) + 6, table);
      }
    }
  }
  return out;
}

}  // namespace lectern
