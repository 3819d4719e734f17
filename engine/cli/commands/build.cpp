#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/files.h"
#include "cli/commands/audience_options.h"
#include "cli/commands/commands.h"
#include "cli/commands/validators.h"
#include "cli/process.h"
#include "cli/site_build.h"
#include "cli/workspace.h"
#include "site/site_pages.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

struct BuildArguments {
  std::vector<std::string> names;
  bool cuda = false;
  const CLI::Option* cuda_option = nullptr;  ///< if absent, CUDA stays as configured before
  BuildOptions options;
};

/// Switches the CUDA kernels of this build on or off, for later builds too.
void choose_cuda(const Workspace& workspace, bool cuda) {
  if (!workspace.repository)
    throw Error(
        "--cuda: the kernels of an installed lectern are compiled already; use it in Lectern's repository");
  const std::string definition = cuda ? "ON" : "OFF";
  if (cache_entry(workspace.home, "LECTERN_CUDA") != definition &&
      run_logged({{"cmake", "-DLECTERN_CUDA=" + definition, workspace.home}},
                 workspace.logs() / "cuda.log") != 0) {
    throw Error("the build could not be configured; the whole log: " + shown(workspace.logs() / "cuda.log"));
  }
  const std::string state = cache_entry(workspace.home, "LECTERN_CUDA_STATE");
  if (cuda && !state.starts_with("compiled")) throw Error("--cuda: the CUDA kernels are " + state);
}

/// Pages of sanitized lectures have a folder of their own.
void prepare_sanitizers(const Workspace& workspace, BuildOptions& options, int& status) {
  for (const char* library : {"libasan.so", "libubsan.so"}) {
    if (first_output_line({"c++", std::string("-print-file-name=") + library}).find('/') != std::string::npos)
      continue;
    status = 3;
    throw Error(std::string("--sanitize: the compiler has no ") + library +
                "; install g++, whose packages have it");
  }
  if (options.out.empty()) options.out = workspace.root / "build/sanitized";
}

int build(const BuildArguments& arguments, int& status) {
  const Workspace workspace = find_workspace();
  status = 2;  // errors thrown from here on concern the command line
  const auto lectures = find_lectures(workspace, arguments.names,
                                      arguments.options.out.empty() && !arguments.options.sanitize &&
                                          !arguments.options.inspect_all && !arguments.options.for_others());
  if (arguments.cuda_option->count() > 0) {
    status = 3;
    choose_cuda(workspace, arguments.cuda);
  }
  status = 1;
  BuildOptions options = arguments.options;
  if (options.for_others() && options.out.empty()) options.out = site_for_others(workspace, options);
  if (options.sanitize) prepare_sanitizers(workspace, options, status);
  if (options.inspect_all && options.out.empty()) options.out = workspace.root / "build/inspected";
  options.all = arguments.names.empty();
  const fs::path site = options.out.empty() ? workspace.site : options.out;
  if (lectures.empty() && lectures_in(site).empty()) {  // without a lecture, pages of deleted ones may go
    status = 2;
    throw Error("there is no lecture in " + shown(workspace.root / "lectures") +
                "; go to the course's folder, name a lecture's file, or begin one: `lectern new NAME`");
  }
  if (!options.out.empty()) {
    options.out = fs::absolute(options.out);
    make_folder(options.out);
  }
  const BuildResult result = build_lectures(workspace, lectures, options);
  const bool one = lectures.size() == 1 && fs::exists(site / lectures.front().name / "index.html");
  const fs::path page = one ? site / lectures.front().name / "index.html" : site / "index.html";
  if ((result.rendered || !result.ended_early.empty()) && fs::exists(page))
    std::printf("%s\n", shown(page).c_str());
  const bool has_own_project =
      lectures.size() == 1 && (lectures.front().outside || options.sanitize || options.inspect_all);
  if (has_own_project && !result.traces.empty())
    std::fprintf(stderr, "  The trace is %s\n", shown(result.traces.front()).c_str());
  return result.ok() ? 0 : 1;
}

}  // namespace

void add_build(CLI::App& app, int& status) {
  auto arguments = std::make_shared<BuildArguments>();
  auto* command =
      app.add_subcommand("build", "Instruments, compiles, runs and renders lectures; only what has changed");
  command->add_option("LECTURE", arguments->names,
                      "Names in lectures/, or paths to C++ files anywhere; all when left out");
  command->add_option("--out", arguments->options.out, "The folder for the pages, instead of site/");
  command
      ->add_option("--timeout", arguments->options.timeout,
                   "Seconds after which a running lecture is killed; 0: never")
      ->check(is_seconds())
      ->capture_default_str();
  command->add_flag(
      "!--no-drafts", arguments->options.drafts,
      "Leave out the lectures that are drafts: the pages to publish, in build/published unless\n"
      "--out is given. Pages of those that have become drafts are removed, and when all lectures are\n"
      "built, those of deleted ones");
  add_audience_options(*command, arguments->options.audience);
  command->add_flag(
      "--sanitize", arguments->options.sanitize,
      "With AddressSanitizer and UndefinedBehaviorSanitizer, in build/sanitized unless --out is given:\n"
      "what they find is the last step");
  command->add_flag(
      "--inspect-all", arguments->options.inspect_all,
      "With every local variable inspected after each statement, as if each function said @inspect *;\n"
      "in build/inspected unless --out is given: the site and the traces that are checked stay as they are");
  arguments->cuda_option = command->add_flag(
      "--cuda,!--no-cuda", arguments->cuda,
      "Compile the CUDA kernels, or leave them out, from now on; by default where a GPU answers");
  command->footer(
      "Prints the page to look at, and of a lecture given by its path where its trace is. Students' pages "
      "are in build/students unless --out is given.\n"
      "Of an exercise it tells which claims hold (\u2713), which do not (\u2717) and which were not reached "
      "(\u2013).\n"
      "Exit status: 0 done, 1 a lecture did not build or ended early, or a plot is wrong, which its page\n"
      "shows, or not all claims of an exercise hold, 2 there is no such lecture, or none at all,\n"
      "3 something is not installed.");
  command->callback([arguments, &status] { status = build(*arguments, status); });
}

}  // namespace lectern::cli
