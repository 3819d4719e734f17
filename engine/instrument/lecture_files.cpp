#include "instrument/lecture_files.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/files.h"

namespace lectern {

namespace {

namespace fs = std::filesystem;

/// Files of other names (tables of macros, data) are included as they are.
bool is_source(const fs::path& path) {
  constexpr std::array<std::string_view, 13> endings{".h",   ".hpp", ".hh",  ".hxx", ".cuh", ".cpp", ".cc",
                                                     ".cxx", ".cu",  ".inl", ".ipp", ".tpp", ""};
  return std::find(endings.begin(), endings.end(), path.extension().string()) != endings.end();
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

std::string escape_for_make(const fs::path& path) {
  std::string escaped;
  for (const char c : path.string()) {
    if (c == ' ' || c == '#') escaped += '\\';
    if (c == '$') escaped += '$';
    escaped += c;
  }
  return escaped;
}

struct File {
  fs::path source, output;
  std::string text;
};

class Collector {
 public:
  Collector(fs::path folder, bool inspect_all) : folder_(std::move(folder)), inspect_all_(inspect_all) {}

  /// Instruments the file, then those that it includes and that were not met yet.
  void add(const fs::path& source, const fs::path& output) {
    const fs::path canonical = fs::weakly_canonical(source);
    if (!met_.insert(canonical).second) return;
    InstrumentOptions options;
    options.inspect_all = inspect_all_;
    options.path = canonical.lexically_relative(folder_).generic_string();
    options.folder = folder_;
    options.original = canonical;
    Instrumented file = instrument(read_file(canonical), options);
    result.sources.push_back(canonical);
    result.outputs.push_back(output);
    result.traced_functions += file.traced_functions;
    result.untraced_functions += file.untraced_functions;
    result.diagnostics.insert(result.diagnostics.end(), file.diagnostics.begin(), file.diagnostics.end());
    texts.push_back(std::move(file.text));
    for (const std::string& include : file.includes) {
      const fs::path included = fs::weakly_canonical(canonical.parent_path() / include);
      if (!fs::is_regular_file(included) || !is_inside(included, folder_) || !is_source(included)) continue;
      add(included, (output.parent_path() / include).lexically_normal());
    }
  }

  InstrumentedLecture result;
  std::vector<std::string> texts;

 private:
  fs::path folder_;
  bool inspect_all_;
  std::set<fs::path> met_;
};

}  // namespace

InstrumentedLecture instrument_lecture(const fs::path& main_file, const fs::path& output,
                                       const LectureOptions& options) {
  const fs::path main = fs::weakly_canonical(main_file);
  const fs::path folder = options.folder.empty() ? main.parent_path() : fs::weakly_canonical(options.folder);
  Collector collector(folder, options.inspect_all);
  collector.add(main, fs::absolute(output).lexically_normal());
  InstrumentedLecture& result = collector.result;
  result.ok = std::none_of(result.diagnostics.begin(), result.diagnostics.end(),
                           [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
  if (!result.ok) return std::move(result);
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (fs::weakly_canonical(result.outputs[i]) == result.sources[i]) {
      throw Error(Place{result.sources[i].string()},
                  "the output would overwrite the source; name another folder");
    }
    write_file_if_changed(result.outputs[i], collector.texts[i]);
  }
  if (!options.depfile.empty()) {
    std::string rule = escape_for_make(output) + ":";
    for (const fs::path& source : result.sources) rule += " \\\n  " + escape_for_make(source);
    write_file_if_changed(options.depfile, rule + "\n");
  }
  return std::move(result);
}

}  // namespace lectern
