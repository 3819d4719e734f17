// Whatever bytes come: a trace of edtrace is read or refused, in memory in proportion to its text; what is
// read can be written as a trace of ours and is the same when that is read; and what is exported is read
// again.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "allocation.h"
#include "base/error.h"
#include "trace/edtrace_export.h"
#include "trace/edtrace_import.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace {

std::optional<lectern::Trace> read(std::string_view text) {
  std::optional<lectern::Trace> trace;
  const std::size_t memory = lectern::testing::memory_for([&] {
    try {
      trace = lectern::parse_edtrace(text, "fuzz.json");
    } catch (const lectern::Error&) {  // what is no trace is refused
    }
  });
  if (memory > lectern::kEdtraceMemory * text.size() + (64 << 10)) {
    std::fprintf(stderr, "%zu bytes of memory for %zu bytes of text\n", memory, text.size());
    std::abort();
  }
  return trace;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<lectern::Trace> trace = read({reinterpret_cast<const char*>(data), size});
  if (!trace) return 0;
  const std::string written = lectern::write_trace(*trace);
  if (lectern::parse_trace(written, "written.json") != *trace) {
    std::fprintf(stderr, "%s\n", written.c_str());
    std::abort();
  }
  for (const auto generation : {lectern::EdtraceGeneration::of_2025, lectern::EdtraceGeneration::later})
    lectern::parse_edtrace(lectern::export_edtrace(*trace, {.generation = generation}), "exported.json");
  return 0;
}
