#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/compare_values.h"
#include "trace/model.h"

namespace lectern {

/// Something that a step showed is not the same.
struct RenderingDifference {
  std::string what;  ///< "text", "image loss.svg", "value x"
  std::string message;
  std::optional<ValueDifference> value = {};  ///< of an inspect(x) hook: then it is a value that differs
};

/// The files that the two lectures showed, by their names (edtrace/load.h, shown_files).
struct ShownFiles {
  std::map<std::string, std::filesystem::path> old_files, new_files;
};

/// Compares what two steps showed, kind by kind and field by field; images and videos by their bytes too,
/// where both folders have them.
std::vector<RenderingDifference> compare_renderings(const std::vector<Rendering>& old_show,
                                                    const std::vector<Rendering>& new_show,
                                                    const Comparison& comparison, const ShownFiles& files);

}  // namespace lectern
