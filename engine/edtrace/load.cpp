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

/// The image or video of this name around a trace; empty when there is none. A trace from elsewhere must not
/// publish other files of this machine: only what browsers show, and links must not lead out of the folders.
template <typename Medium>
fs::path find_around(const fs::path& trace, const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::ranges::transform(ending, ending.begin(), to_lower);
  if (!inside_folder(name) || std::ranges::count(Medium::kEndings, ending) == 0) return {};
  fs::path folder = fs::absolute(trace).parent_path();
  for (int above = 0; above <= 2; ++above, folder = folder.parent_path()) {
    std::error_code error;
    const fs::path file = fs::weakly_canonical(folder / name, error);
    const fs::path inside = file.lexically_relative(fs::weakly_canonical(folder, error));
    if (inside_folder(inside.generic_string()) && fs::is_regular_file(file, error)) return file;
  }
  return {};
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
  const auto add_medium = [&]<typename Form>(const Form& form) {
    if constexpr (requires { Form::kEndings; }) {
      const fs::path file = files.contains(form.src) ? fs::path() : find_around<Form>(path, form.src);
      if (!file.empty()) files.emplace(form.src, file);
    }
  };
  for (const Step& step : trace.steps) {
    if (step.text.find("\"src\"") == std::string::npos) continue;
    for (const Rendering& rendering : step.details().show) std::visit(add_medium, rendering.form);
  }
  return files;
}

}  // namespace lectern
