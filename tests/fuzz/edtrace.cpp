// Whatever bytes come: a trace of edtrace is read or refused, in memory in proportion to its text; what is
// read can be written as a trace of ours and is the same when that is read; and what is exported is read
// again.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bounded_read.h"
#include "edtrace/export.h"
#include "edtrace/import.h"
#include "trace/reader.h"
#include "trace/writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto trace = lectern::test::bounded_read(
      {reinterpret_cast<const char*>(data), size}, lectern::kEdtraceMemory,
      [](std::string_view text) { return lectern::parse_edtrace(text, "fuzz.json"); });
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
