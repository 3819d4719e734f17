#include "site/single_files.h"

#include <set>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "site/drawing_program.h"
#include "site/single_file.h"
#include "site/site_pages.h"

namespace lectern {

bool render_single_files(const std::vector<std::filesystem::path>& traces, const RenderOptions& options) {
  bool right = true;
  std::set<std::string> names;
  for (const std::filesystem::path& trace : traces) {
    const WorkFolder work;
    RenderOptions alone = options;
    alone.output = work.path;
    right &= render_site({trace}, alone);
    for (const LectureSummary& lecture : read_site(alone).map.lectures) {  // none, where it is a draft
      if (!names.insert(lecture.name).second) {
        throw Error(Place{trace.string()}, "another of these traces is of the same lecture, " + lecture.name +
                                               "; make single files of one at a time");
      }
      const bool named = options.output.extension() == ".html";
      write_file_if_changed(
          named ? options.output : options.output / (lecture.name + ".html"),
          single_file_html(work.path, lecture.name, options.templates, options.settings.base_url));
    }
  }
  return right;
}

}  // namespace lectern
