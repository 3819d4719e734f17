#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/site_build.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

int build(const std::vector<std::string>& names, const std::string& out, int& status) {
  const Workspace workspace = find_workspace();
  status = 2;  // what is thrown from here on is about the command line
  const auto lectures = find_lectures(workspace, names);
  status = 1;
  const fs::path site = out.empty() ? workspace.site : fs::absolute(out);
  const BuildResult result = build_lectures(workspace, lectures, out.empty() ? fs::path() : site);
  const bool one = lectures.size() == 1 && fs::exists(site / lectures.front().name / "index.html");
  const fs::path page = one ? site / lectures.front().name / "index.html" : site / "index.html";
  if (result.built && fs::exists(page)) std::printf("%s\n", shown(page).c_str());
  return result.ok() ? 0 : 1;
}

}  // namespace

void add_build(CLI::App& app, int& status) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto out = std::make_shared<std::string>();
  auto* command =
      app.add_subcommand("build", "Instruments, compiles, runs and renders lectures; only what has changed");
  command->add_option("LECTURE", *names,
                      "Names in lectures/, or paths to C++ files anywhere; all when left out");
  command->add_option("--out", *out, "The folder for the pages, instead of site/");
  command->footer(
      "Prints the page to look at.\n"
      "Exit status: 0 done, 1 a lecture did not build or ended early, 2 there is no such lecture, 3 "
      "something is not "
      "installed.");
  command->callback([names, out, &status] { status = build(*names, *out, status); });
}

}  // namespace lectern::cli
