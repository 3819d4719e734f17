// Whatever bytes come: reading them takes no more memory than the reader states, and a trace that is read can
// be written and is the same when it is read again.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bounded_read.h"
#include "trace/reader.h"
#include "trace/writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto trace = lectern::test::bounded_read(
      {reinterpret_cast<const char*>(data), size}, lectern::kReaderMemory,
      [](std::string_view text) { return lectern::parse_trace(text, "fuzz.json"); });
  if (!trace) return 0;
  const std::string written = lectern::write_trace(*trace);
  if (lectern::parse_trace(written, "written.json") != *trace) {
    std::fprintf(stderr, "%s\n", written.c_str());
    std::abort();
  }
  return 0;
}
