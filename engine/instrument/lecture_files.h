#pragma once

#include <filesystem>
#include <vector>

#include "instrument/instrument.h"

namespace lectern {

struct LectureOptions {
  bool inspect_all = false;
  std::filesystem::path folder;   ///< the lecture's folder; empty: that of the main file
  std::filesystem::path depfile;  ///< dependencies as make writes them, for ninja; empty: none
};

struct InstrumentedLecture {
  std::vector<std::filesystem::path>
      sources;  ///< the main file first, then included files in the order found
  std::vector<std::filesystem::path> outputs;  ///< one for each source
  std::vector<Diagnostic> diagnostics;         ///< in the order of the sources
  int traced_functions = 0;
  int untraced_functions = 0;
  bool parsed = true;  ///< all of every source
  bool ok = true;      ///< no error among the diagnostics; nothing was written otherwise
};

/// Instruments a lecture's main file and every file of the lecture's folder that it includes with quotes, or
/// by a macro that stands for them. Warns of those with functions that cannot be instrumented. Headers keep
/// their path relative to the main file, next to `output`, so that the instrumented one is included. Throws
/// Error when a file cannot be read or written.
InstrumentedLecture instrument_lecture(const std::filesystem::path& main_file,
                                       const std::filesystem::path& output,
                                       const LectureOptions& options = {});

}  // namespace lectern
