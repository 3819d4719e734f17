#include "site/single_files.h"

#include <map>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/temporary_folder.h"
#include "edtrace/load.h"
#include "site/single_file.h"
#include "site/site_pages.h"
#include "trace/front_matter.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// The traces by their lectures' names. Throws Error when one cannot be read, two are of one lecture, or none
/// is to have a page.
struct TracesByName {
  std::map<std::string, fs::path> pages, drafts;

  TracesByName(const std::vector<fs::path>& traces, const RenderOptions& options) {
    for (const fs::path& file : traces) {
      const Trace trace = load_trace(file);
      check_lecture_name(trace, file);
      check_other_trace(trace.lecture, file);
      const bool wanted = options.shows_drafts() || !is_draft(trace);
      (wanted ? pages : drafts).emplace(trace.lecture, file);
    }
    if (!pages.empty() || drafts.empty()) return;
    throw Error(Place{drafts.begin()->second.string()},
                "the lecture " + drafts.begin()->first +
                    " is a draft, and drafts are left out here; take `.draft = true` from its front matter, "
                    "or make the page with drafts");
  }

 private:
  void check_other_trace(const std::string& lecture, const fs::path& file) const {
    for (const auto* known : {&pages, &drafts}) {
      const auto other = known->find(lecture);
      if (other == known->end()) continue;
      throw Error(Place{file.string()}, other->second.string() + " is of the same lecture, " + lecture +
                                            ", and both would be in one file; make single files of one at "
                                            "a time");
    }
  }
};

}  // namespace

bool render_single_files(const std::vector<fs::path>& traces, const RenderOptions& options) {
  const TracesByName named(traces, options);
  const bool one = options.output.extension() == ".html";
  const auto file_of = [&](const std::string& lecture) {
    return one ? options.output : options.output / (lecture + ".html");
  };
  bool right = true;
  std::map<std::string, TemporaryFolder> work;
  std::map<std::string, std::string> titles;
  RenderOptions alone = options;
  alone.packs_values = false;  // all is packed together
  for (const auto& [lecture, trace] : named.pages) {
    alone.output = work.try_emplace(lecture, "pages").first->second.path();
    right &= render_site({trace}, alone);
    titles.emplace(lecture, read_site(alone).map.lectures.at(0).title);
  }
  alone.titles_elsewhere = titles;
  for (const auto& [lecture, folder] : work) {
    alone.output = folder.path();
    if (titles.size() > 1) render_site({}, alone);
    write_file_if_changed(file_of(lecture), single_file_html(folder.path(), lecture, options.templates,
                                                             options.settings.base_url));
  }
  for (const auto& [lecture, trace] : named.drafts) remove_tree(file_of(lecture));
  return right;
}

}  // namespace lectern
