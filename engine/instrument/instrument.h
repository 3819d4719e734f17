#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace lectern {

struct InstrumentOptions {
  bool inspect_all = false;        ///< every local variable, as if each statement said @inspect
  std::string path;                ///< as recorded: relative to the lecture's folder
  std::filesystem::path folder;    ///< the lecture's folder
  std::filesystem::path original;  ///< the file that #line names
};

struct Diagnostic {
  enum class Severity { note, warning, error };
  Severity severity;
  Place place;
  std::string message;
};

/// A file that is included with quotes or by a macro, outside of the blocks of functions.
struct Include {
  std::string name;  ///< as written, without quotes, or the macro
  Place place;
  bool by_macro = false;
  bool inside = false;  ///< of a class or namespace, where no file can be stepped
};

struct Instrumented {
  std::string text;
  std::vector<Diagnostic> diagnostics;
  int traced_functions = 0;
  int untraced_functions = 0;
  bool parsed = true;  ///< all of it; else a compiler may have better words for what is wrong
  std::vector<Include> includes;
};

/// The comment before all inserted code: "/*lectern:LENGTH*/", followed by LENGTH bytes. Without these, the
/// original bytes are left.
inline constexpr std::string_view insertion_marker = "/*lectern:";

/// Inserts probes (record/probe.h) between the statements of one C++ or CUDA file. Throws for no source: what
/// cannot be stepped is a diagnostic. With an error among them, there is no text.
Instrumented instrument(std::string_view source, const InstrumentOptions& options);

}  // namespace lectern
