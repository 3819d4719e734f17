// Whatever bytes come: they are highlighted in ranges that follow each other and lie within them.

#include "site/highlight.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  std::uint32_t end = 0;
  for (const lectern::Highlight& range : lectern::highlight(source, "cpp")) {
    if (range.begin < end || range.end > size) std::abort();
    end = range.end;
  }
  return 0;
}
