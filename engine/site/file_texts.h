#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// What files of a rendering say that other formats than our pages do not show: what an exercise starts from,
/// and what a video's captions say. A piece of Markdown for each.
std::vector<std::string> file_texts(const Rendering& rendering,
                                    const std::map<std::string, std::filesystem::path>& files);

}  // namespace lectern
