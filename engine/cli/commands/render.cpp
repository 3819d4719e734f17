#include "site/render.h"

#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/commands/audience_options.h"
#include "cli/commands/commands.h"
#include "cli/run_end.h"
#include "cli/workspace.h"
#include "site/single_files.h"

namespace lectern::cli {
namespace {

/// One writer at a time in a site: all of them update its home page.
class SiteLock {
 public:
  explicit SiteLock(const std::filesystem::path& site) {
    make_folder(site);
    descriptor_ = open(site.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
  }
  SiteLock(const SiteLock&) = delete;
  SiteLock& operator=(const SiteLock&) = delete;
  ~SiteLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }

 private:
  int descriptor_ = -1;
};

void check_single_files(const std::vector<std::filesystem::path>& traces, const std::string& output) {
  if (traces.empty()) throw CLI::ValidationError("--single-file", "needs the trace of a lecture");
  if (traces.size() > 1 && output.ends_with(".html"))
    throw CLI::ValidationError("--output", "several lectures need a folder, not one file: -o DIR");
}

}  // namespace

void add_render(CLI::App& app, int& status) {
  auto traces = std::make_shared<std::vector<std::filesystem::path>>();
  auto output = std::make_shared<std::string>();
  auto settings = std::make_shared<std::string>();
  auto folder = std::make_shared<std::filesystem::path>();
  auto from = std::make_shared<std::filesystem::path>();
  auto drafts = std::make_shared<bool>(true);
  auto audience = std::make_shared<Audience>();
  auto single = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("render", "Renders traces as pages, and the home page");
  command->add_option(
      "TRACE", *traces,
      "Traces of `lectern run`, or of edtrace; without any, only what the pages of the site say\n"
      "of each other is updated. Of several traces of one lecture, from different profiles, the\n"
      "first is its page; a switch on it leads to the others, and those of another program, in\n"
      "Python say, stand beside it, too");
  command
      ->add_option("-o,--output", *output,
                   "The site's folder; of single files theirs, or the name of one, *.html")
      ->required();
  command->add_flag(
      "--single-file", *single,
      "Make one file of each page, NAME.html, with all that it shows and runs in it, to give\n"
      "away: it opens anywhere and asks for nothing. Of a page over 1.5 MB plots are pictures.\n"
      "Each trace is of another lecture");
  command->add_option("--settings", *settings, "The site's site.toml; a missing file is an empty one");
  command->add_option("--folder", *folder,
                      "That of the lectures' sources, in which messages then name their files");
  command->add_option("--from", *from,
                      "The folder from which messages name these files, instead of the current one");
  command->add_flag("!--no-drafts", *drafts,
                    "Leave out the lectures that are drafts, and remove their pages");
  add_audience_options(*command, *audience);
  command->footer(
      "Exit status: 0 done, 1 a trace cannot be read, a page cannot be written, or the\n"
      "specification of a plot is wrong, which its page shows; of single files, which are not begun\n"
      "then, two are of one lecture, or all are of drafts that are left out; 2 the command line is\n"
      "wrong.");
  command->callback([traces, output, settings, folder, from, drafts, audience, single, &status] {
    const Workspace workspace = find_workspace();
    RenderOptions options{.output = *output,
                          .templates = workspace.templates(),
                          .audience = *audience,
                          .drafts = *drafts,
                          .settings = settings->empty() ? SiteSettings() : read_site_settings(*settings)};
    if (!folder->empty()) {
      options.with_shown_place = [folder, from](const std::string& message) {
        return with_shown_place(message, {*folder}, from->empty() ? std::filesystem::current_path() : *from);
      };
    }
    if (*single) {
      check_single_files(*traces, *output);
      status = render_single_files(*traces, options) ? 0 : 1;
      return;
    }
    const SiteLock lock(*output);
    status = render_site(*traces, options) ? 0 : 1;
  });
}

}  // namespace lectern::cli
