#include "check/compare_source_files.h"

#include <algorithm>
#include <utility>

namespace lectern {
namespace {

const SourceFile* find_source(const Trace& trace, const std::string& path) {
  const auto found = std::ranges::find(trace.sources, path, &SourceFile::path);
  return found == trace.sources.end() ? nullptr : &*found;
}

Difference file_item(const char* message, DifferencePlace old_place, DifferencePlace new_place) {
  return {.kind = DifferenceKind::source,
          .subject = "file",
          .message = message,
          .old_place = std::move(old_place),
          .new_place = std::move(new_place)};
}

std::vector<SourceFile> without_statements(const Trace& trace) {
  std::vector<bool> has_statements(trace.sources.size());
  for (const Site& site : trace.sites)
    has_statements[index(trace.functions[index(site.function)].source)] = true;
  std::vector<SourceFile> files;
  for (std::size_t i = 0; i < trace.sources.size(); ++i) {
    if (!has_statements[i]) files.push_back(trace.sources[i]);
  }
  return files;
}

/// Whether a trace has the file, perhaps by another name.
bool has_file(const Trace& trace, const SourceFile& file) {
  return std::ranges::any_of(trace.sources, [&](const SourceFile& source) {
    return source.path == file.path || source.lines == file.lines;
  });
}

Difference changed_file(const SourceFile& before, const SourceFile& now) {
  const auto [old_line, new_line] =
      std::mismatch(before.lines.begin(), before.lines.end(), now.lines.begin(), now.lines.end());
  return file_item("comments or declarations changed",
                   {before.path, static_cast<int>(old_line - before.lines.begin()) + 1, -1, {}},
                   {now.path, static_cast<int>(new_line - now.lines.begin()) + 1, -1, {}});
}

}  // namespace

std::vector<Difference> compare_source_files(const Trace& old_trace, const Trace& new_trace,
                                             const std::set<std::string>& reported) {
  std::vector<Difference> changes;
  for (const SourceFile& now : new_trace.sources) {
    const SourceFile* const before = find_source(old_trace, now.path);
    if (before != nullptr && before->lines != now.lines && !reported.contains(now.path))
      changes.push_back(changed_file(*before, now));
  }
  for (const SourceFile& file : without_statements(old_trace)) {
    if (!has_file(new_trace, file))
      changes.push_back(file_item("this file is gone", {file.path, 1, -1, {}}, {}));
  }
  for (const SourceFile& file : without_statements(new_trace)) {
    if (!has_file(old_trace, file))
      changes.push_back(file_item("this file is new", {}, {file.path, 1, -1, {}}));
  }
  return changes;
}

}  // namespace lectern
