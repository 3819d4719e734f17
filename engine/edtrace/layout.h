#pragma once

#include <set>
#include <string>
#include <vector>

#include "edtrace/export.h"
#include "trace/trace.h"

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
bool is_note(const Rendering& rendering);

/// The trace's sources as files for the viewers of a generation.
std::vector<EdtraceFile> edtrace_files(const Trace& trace, EdtraceGeneration generation);

}  // namespace lectern
