#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/site_build.h"
#include "cli/validators.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> names;
  BuildOptions options;
};

int build(const Arguments& arguments, int& status) {
  const Workspace workspace = find_workspace();
  status = 2;  // what is thrown from here on is about the command line
  const auto lectures = find_lectures(workspace, arguments.names);
  status = 1;
  BuildOptions options = arguments.options;
  if (!options.out.empty()) {
    options.out = fs::absolute(options.out);
    make_folder(options.out);
  }
  const BuildResult result = build_lectures(workspace, lectures, options);
  const fs::path site = options.out.empty() ? workspace.site : options.out;
  const bool one = lectures.size() == 1 && fs::exists(site / lectures.front().name / "index.html");
  const fs::path page = one ? site / lectures.front().name / "index.html" : site / "index.html";
  if (result.built && fs::exists(page)) std::printf("%s\n", shown(page).c_str());
  return result.ok() ? 0 : 1;
}

}  // namespace

void add_build(CLI::App& app, int& status) {
  auto arguments = std::make_shared<Arguments>();
  auto* command =
      app.add_subcommand("build", "Instruments, compiles, runs and renders lectures; only what has changed");
  command->add_option("LECTURE", arguments->names,
                      "Names in lectures/, or paths to C++ files anywhere; all when left out");
  command->add_option("--out", arguments->options.out, "The folder for the pages, instead of site/");
  command
      ->add_option("--timeout", arguments->options.timeout,
                   "Seconds after which a lecture that still runs is ended; 0: never")
      ->check(is_seconds())
      ->capture_default_str();
  command->footer(
      "Prints the page to look at.\n"
      "Exit status: 0 done, 1 a lecture did not build or ended early, 2 there is no such lecture, 3 "
      "something is not "
      "installed.");
  command->callback([arguments, &status] { status = build(*arguments, status); });
}

}  // namespace lectern::cli
