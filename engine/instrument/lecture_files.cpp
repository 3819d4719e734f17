#include "instrument/lecture_files.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/depfile.h"
#include "base/files.h"

namespace lectern {

namespace {

namespace fs = std::filesystem;

/// Files with other extensions (tables of macros, data) are not instrumented.
bool is_source(const fs::path& path) {
  constexpr auto extensions = std::to_array<std::string_view>(
      {".h", ".hpp", ".hh", ".hxx", ".cuh", ".cpp", ".cc", ".cxx", ".cu", ".inl", ".ipp", ".tpp", ""});
  return std::ranges::count(extensions, path.extension().string()) > 0;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

class Collector {
 public:
  Collector(fs::path folder, bool inspect_all) : folder_(std::move(folder)), inspect_all_(inspect_all) {}

  /// Instruments the file, then those that it includes and that were not instrumented yet.
  void add(const fs::path& source, const fs::path& output) {
    const fs::path canonical = fs::weakly_canonical(source);
    if (!seen_.insert(canonical).second) return;
    Instrumented file =
        instrument(read_file(canonical), {.inspect_all = inspect_all_,
                                          .path = canonical.lexically_relative(folder_).generic_string(),
                                          .folder = folder_,
                                          .original = canonical});
    result.sources.push_back(canonical);
    result.outputs.push_back(output);
    result.parsed = result.parsed && file.parsed;
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
  std::set<fs::path> seen_;
};

}  // namespace

InstrumentedLecture instrument_lecture(const fs::path& main_file, const fs::path& output,
                                       const LectureOptions& options) {
  const fs::path main = fs::weakly_canonical(main_file);
  const fs::path folder = options.folder.empty() ? main.parent_path() : fs::weakly_canonical(options.folder);
  Collector collector(folder, options.inspect_all);
  collector.add(main, fs::absolute(output).lexically_normal());
  InstrumentedLecture& result = collector.result;
  result.ok = std::ranges::count(result.diagnostics, Diagnostic::Severity::error, &Diagnostic::severity) == 0;
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
    for (const fs::path& source : result.sources) rule += prerequisite_for_make(source);
    write_file_if_changed(options.depfile, rule + "\n");
  }
  return std::move(result);
}

}  // namespace lectern
