#include "edtrace/load.h"

#include <algorithm>
#include <system_error>

#include "base/characters.h"
#include "base/files.h"
#include "edtrace/import.h"
#include "trace/reader.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// Only what browsers show: a trace from elsewhere must not publish other files of this machine.
bool is_medium(const fs::path& path) {
  constexpr std::string_view kEndings[] = {".svg",  ".png",  ".jpg", ".jpeg", ".gif",
                                           ".webp", ".avif", ".mp4", ".webm", ".ogv"};
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), to_lower);
  return std::ranges::find(kEndings, ending) != std::end(kEndings);
}

/// The file of this name below a folder, whatever links lead there; empty when there is none.
fs::path file_below(const fs::path& folder, const fs::path& name) {
  std::error_code error;
  const fs::path file = fs::weakly_canonical(folder / name, error);
  const fs::path inside = file.lexically_relative(fs::weakly_canonical(folder, error));
  const bool below = !inside.empty() && *inside.begin() != "..";
  return below && fs::is_regular_file(file, error) ? file : fs::path();
}

void add_from_around(const std::string& name, const fs::path& trace, std::map<std::string, fs::path>& files) {
  const fs::path path(name);
  if (files.contains(name) || !inside_folder(name) || !is_medium(path)) return;
  fs::path folder = fs::absolute(trace).parent_path();
  for (int above = 0; above <= 2; ++above, folder = folder.parent_path()) {
    if (const fs::path file = file_below(folder, path); !file.empty()) {
      files.emplace(name, file);
      return;
    }
  }
}

}  // namespace

Trace load_trace(const fs::path& path) {
  const std::string text = read_trace_text(path);
  return is_edtrace(text) ? parse_edtrace(text, path.string()) : parse_trace(text, path.string());
}

std::map<std::string, fs::path> shown_files(const Trace& trace, const fs::path& path) {
  std::map<std::string, fs::path> files;
  fs::path assets = path;
  assets.replace_extension(".assets");
  for (const fs::path& file : files_below(assets)) files.emplace(file.generic_string(), assets / file);
  if (!came_from_edtrace(trace)) return files;
  for (const Step& step : trace.steps) {
    if (step.text.find("\"src\"") == std::string::npos) continue;
    for (const Rendering& rendering : step.details().show) {
      if (const auto* const image = rendering.as<rendering::Image>())
        add_from_around(image->src, path, files);
      if (const auto* const video = rendering.as<rendering::Video>())
        add_from_around(video->src, path, files);
    }
  }
  return files;
}

}  // namespace lectern
