// Whatever bytes come: reading them takes no more memory than the reader states, and a trace that is read can
// be written and is the same when it is read again.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "allocation.h"
#include "base/error.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace {

std::optional<lectern::Trace> read(std::string_view text) {
  std::optional<lectern::Trace> trace;
  const std::size_t memory = lectern::testing::memory_for([&] {
    try {
      trace = lectern::parse_trace(text, "fuzz.json");
    } catch (const lectern::Error&) {  // what is no trace is refused
    }
  });
  if (memory > lectern::kReaderMemory * text.size() + (64 << 10)) {
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
  return 0;
}
