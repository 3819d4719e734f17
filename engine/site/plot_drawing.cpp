#include "site/plot_drawing.h"

#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/temporary_folder.h"
#include "site/drawing_program.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

constexpr int kSecondsEach = 10, kSecondsAll = 60;

std::string drawing_problem(Ran ran) {
  switch (ran) {
    case Ran::not_found:
      return "there is no Node.js, which draws it; install nodejs";
    case Ran::too_long:
      return fmt::format("the plots take longer than {} s", kSecondsAll);
    case Ran::failed:
      return "Node.js failed; it should be 18 or newer";
    case Ran::done:
      break;
  }
  return "Node.js did not draw it";
}

void read_results(const fs::path& file, std::vector<DrawnPlot>& drawn) {
  std::error_code none;
  if (!fs::exists(file, none)) return;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    const auto result = nlohmann::json::parse(line, nullptr, false);
    if (!result.is_object()) continue;  // torn, when its writer was stopped
    DrawnPlot& plot = drawn.at(result.at("job").get<std::size_t>());
    plot = {result.value("svg", ""), result.value("error", "")};
  }
}

}  // namespace

std::vector<DrawnPlot> draw_plots(const std::vector<PlotDrawing>& drawings, const fs::path& templates) {
  const TemporaryFolder folder("drawings");
  nlohmann::json jobs = nlohmann::json::array();
  for (const PlotDrawing& drawing : drawings)
    jobs.push_back({{"spec", drawing.spec}, {"width", drawing.width}, {"height", drawing.height}});
  const fs::path input = folder.path() / "jobs.json", output = folder.path() / "results";
  write_file(input, jobs.dump());
  const Ran ran = run_program(
      {"node", fs::absolute(templates / "draw_plots.mjs"), input, output, std::to_string(kSecondsEach)},
      kSecondsAll);
  std::vector<DrawnPlot> drawn(drawings.size());
  read_results(output, drawn);
  for (DrawnPlot& plot : drawn) {
    if (!plot.svg.empty() || !plot.problem.empty()) continue;
    plot.problem = drawing_problem(ran);
  }
  return drawn;
}

}  // namespace lectern
