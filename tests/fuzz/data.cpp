// Whatever bytes come as a .npy file: taking its header apart takes memory in proportion to the bytes that
// are there, and a header that is read describes the rest of them.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bounded_read.h"
#include "data/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = "fuzz.npy";
  const auto parse = [&](std::string_view bytes) { return lectern::parse_npy_header(bytes, file); };
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  if (!lectern::is_npy(bytes)) return 0;
  const auto header = lectern::test::bounded_read(bytes, 64, parse);
  if (!header) return 0;
  const std::string numbers(bytes.substr(header->length));
  const auto again = parse(lectern::make_npy_header(header->dtype, header->sizes) + numbers);
  if (again.sizes != header->sizes || again.dtype != header->dtype) std::abort();
  return 0;
}
