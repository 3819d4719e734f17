#pragma once

#include <filesystem>
#include <vector>

#include "site/render.h"

namespace lectern {

/// Makes a page in a single file (single_file.h) of each trace: NAME.html in the folder `options.output`, or,
/// where that ends in ".html", that file of the only trace. Such a page knows no other lectures. Those of
/// drafts that are not wanted are removed. Returns, and throws, as render_site does; throws too, before
/// anything is written, when two traces are of one lecture or all lectures are drafts that are not wanted.
bool render_single_files(const std::vector<std::filesystem::path>& traces, const RenderOptions& options);

}  // namespace lectern
