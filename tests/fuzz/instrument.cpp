// Whatever bytes come: the tool does not crash, and what it accepts gives back its bytes.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "instrument/instrumented.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  for (const bool inspect_all : {false, true}) {
    const lectern::Instrumented file = lectern::instrument(
        source, {.inspect_all = inspect_all, .path = "fuzz.cpp", .folder = "/", .original = "/fuzz.cpp"});
    bool refused = false;
    for (const lectern::Diagnostic& diagnostic : file.diagnostics) {
      refused = refused || diagnostic.severity == lectern::Diagnostic::Severity::error;
    }
    if (!refused && lectern::strip_probes(file.text) != source) std::abort();
  }
  return 0;
}
