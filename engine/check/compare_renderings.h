#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "check/difference.h"
#include "trace/model.h"

namespace lectern {

/// The files that the two lectures showed, by their names (edtrace/load.h, shown_files).
struct ShownFiles {
  std::map<std::string, std::filesystem::path> old_files, new_files;
};

/// Compares what two steps showed, kind by kind and field by field; the files that it names (images, videos
/// with their captions and posters, starters of exercises) by their bytes too, where both folders have them.
/// What is_skipped is only there in both. Of a difference: kind, field, subject ("text", "image loss.svg",
/// "value x"), message, and the value of an inspect(x) hook.
std::vector<Difference> compare_renderings(const std::vector<Rendering>& old_show,
                                           const std::vector<Rendering>& new_show,
                                           const Comparison& comparison, const ShownFiles& files,
                                           const std::function<bool(const Rendering&)>& is_skipped);

}  // namespace lectern
