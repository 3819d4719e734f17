#pragma once

#include <cstddef>
#include <map>
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

/// The trace's sources as files for the viewers of a generation.
std::vector<EdtraceFile> edtrace_files(const Trace& trace, EdtraceGeneration generation);

/// edtrace's viewers show of all steps at a line the renderings of the last, even if it has none. Of the last
/// step of each line: the steps before it whose renderings it has to repeat so that the viewer shows what
/// each statement of the line showed last.
std::map<std::size_t, std::vector<std::size_t>> repeated_steps(const Trace& trace);

}  // namespace lectern
