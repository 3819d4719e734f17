#include "site/plot_drawing.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/files.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

constexpr int kSecondsEach = 10, kSecondsAll = 60;

class WorkFolder {
 public:
  WorkFolder() {
    std::string name = (fs::temp_directory_path() / "lectern-plots-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error(name + ": cannot be created");
    path = name;
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

  fs::path path;
};

/// Runs Node.js without input, output and settings of the environment: dates are in UTC. Returns nothing when
/// there is none; else why it failed, if it did.
std::optional<std::string> run_node(std::vector<std::string> arguments) {
  const char* const path = std::getenv("PATH");
  std::vector<std::string> environment = {std::string("PATH=") + (path == nullptr ? "" : path), "TZ=UTC"};
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> list;
    list.reserve(texts.size() + 1);
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (const int output : {1, 2})
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "node", &actions, nullptr, pointers(arguments).data(),
                                  pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;

  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(kSecondsAll);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return fmt::format("the plots take longer than {} s", kSecondsAll);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return std::nullopt;
  const bool done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return done ? "" : "Node.js failed; it should be 18 or newer";
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
  const WorkFolder folder;
  nlohmann::json jobs = nlohmann::json::array();
  for (const PlotDrawing& drawing : drawings)
    jobs.push_back({{"spec", drawing.spec}, {"width", drawing.width}, {"height", drawing.height}});
  const fs::path input = folder.path / "jobs.json", output = folder.path / "results";
  write_file(input, jobs.dump());
  const std::optional<std::string> failure = run_node(
      {"node", fs::absolute(templates / "draw_plots.mjs"), input, output, std::to_string(kSecondsEach)});
  std::vector<DrawnPlot> drawn(drawings.size());
  read_results(output, drawn);
  for (DrawnPlot& plot : drawn) {
    if (!plot.svg.empty() || !plot.problem.empty()) continue;
    plot.problem = !failure           ? "there is no Node.js, which draws it; install nodejs"
                   : failure->empty() ? "Node.js did not draw it"
                                      : *failure;
  }
  return drawn;
}

}  // namespace lectern
