#include "site/single_files.h"

#include "base/files.h"
#include "site/drawing_program.h"
#include "site/single_file.h"
#include "site/site_pages.h"

namespace lectern {

bool render_single_files(const std::vector<std::filesystem::path>& traces, const RenderOptions& options) {
  bool right = true;
  for (const std::filesystem::path& trace : traces) {
    const WorkFolder work;
    RenderOptions alone = options;
    alone.output = work.path;
    right &= render_site({trace}, alone);
    for (const LectureSummary& lecture : read_site(alone).map.lectures) {  // none, where it is a draft
      const bool named = options.output.extension() == ".html";
      write_file_if_changed(
          named ? options.output : options.output / (lecture.name + ".html"),
          single_file_html(work.path, lecture.name, options.templates, options.settings.base_url));
    }
  }
  return right;
}

}  // namespace lectern
