#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "edtrace/json.h"
#include "trace/decode.h"

namespace lectern {

/// A source as a file that edtrace's viewers show well. They know renderings by the number of their line
/// alone, whatever its file, so that no two files may have lines of the same number; and they leave out blank
/// lines at a file's beginning, but count on. Lines that a reader is not to see (@hide, the further lines of
/// hooks) later viewers hide; for those of 2025, which cannot, they are blank.
struct EdtraceFile {
  std::vector<std::string> lines;  ///< first those that stand before the source's own
  int before = 0;                  ///< how many they are
  std::set<int> hidden;            ///< numbers in `lines`, from 1
};

/// Whether a rendering is for the speaker.
bool is_note(const Json& rendering);

/// One for each source of a trace of ours.
std::vector<EdtraceFile> edtrace_files(const Trace& trace, EdtraceGeneration generation);

/// What has to stand with a source for restore_source to bring it back; null when the file is the source.
Json changes_of(const EdtraceFile& file, const SourceFile& source);

/// Gives the source its lines out of its file's, and takes the field with its changes away. Returns how many
/// lines stood before.
int restore_source(SourceFile& source, std::vector<std::string> lines);

}  // namespace lectern
