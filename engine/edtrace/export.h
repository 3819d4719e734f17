#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// edtrace, the tracer of Python lectures, has had two forms of JSON. In that of 2025 values are bare; later
/// ones say their types, `{"type","contents","dtype","shape"}`, and lines can be hidden.
enum class EdtraceGeneration : std::uint8_t { of_2025, later };

/// Of all steps' stacks: some 100 MB, which a browser reads in seconds.
inline constexpr std::size_t kMostFrames = 500'000;

struct EdtraceExport {
  /// No file serves the viewers of both: those of 2025 would show types as part of the values, later ones
  /// fail without them.
  EdtraceGeneration generation = EdtraceGeneration::later;
  /// Where edtrace's viewer finds the files that the trace shows, by their names. Any other keeps the path
  /// that the trace gives it.
  std::map<std::string, std::string> addresses = {};
  /// Pictures of plots, by their specifications: addresses, too. A plot without one is exported as its
  /// specification.
  std::map<std::string, std::string> plots = {};
  /// What is shown below a rendering, as Markdown, of files that the viewer has no kind for.
  std::function<std::vector<std::string>(const Rendering&)> file_texts = {};
};

/// A trace as edtrace's JSON, for its viewer: stacks, values, renderings, hidden lines, what was printed.
/// What its viewers would lose is put where they show it. Variables that are cleared are null; viewers of
/// 2025, which know no clearing, go on showing them. What edtrace has no form for is Markdown or text, or
/// left out: claims, costs, for 2025 types and speaker's notes too. How the run ended is a last rendering.
/// Throws Error, naming the function that calls most deeply, where the stacks of all steps, each of which is
/// written whole, have more than kMostFrames.
std::string export_edtrace(const Trace& trace, const EdtraceExport& options);

}  // namespace lectern
