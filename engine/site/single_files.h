#pragma once

#include <filesystem>
#include <vector>

#include "site/render.h"

namespace lectern {

/// Makes a page in a single file (single_file.h) of each trace: NAME.html in the folder `options.output`, or,
/// where that ends in ".html", that file of the only trace. Such a page knows no other lectures. Returns, and
/// throws, as render_site does.
bool render_single_files(const std::vector<std::filesystem::path>& traces, const RenderOptions& options);

}  // namespace lectern
