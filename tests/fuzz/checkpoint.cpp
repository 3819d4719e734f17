// Whatever bytes come as a safetensors file: taking its header apart takes memory in proportion to the bytes
// that are there, and the tensors of a header that is read lie inside of the file; made anew, it reads the
// same.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bounded_read.h"
#include "checkpoint/safetensors_header.h"

namespace {

constexpr std::size_t kReaderMemory = 64;

void must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = "fuzz.safetensors";
  const auto parse = [&](std::string_view bytes) { return lectern::parse_safetensors_header(bytes, file); };
  const auto header =
      lectern::test::bounded_read({reinterpret_cast<const char*>(data), size}, kReaderMemory, parse);
  if (!header) return 0;
  std::uint64_t bytes = 0;
  for (const auto& entry : header->entries) {
    must(entry.begin <= entry.end && header->length + entry.end <= size);
    bytes += entry.end - entry.begin;
  }
  must(header->length + bytes == size);

  lectern::SafetensorsHeader again = *header;
  const std::string made = lectern::make_safetensors_header(again);
  const auto read = parse(made + std::string(bytes, '\0'));
  must(read.metadata == header->metadata && read.entries.size() == header->entries.size());
  for (std::size_t i = 0; i < read.entries.size(); ++i) {
    const auto &a = read.entries[i], &b = header->entries[i];
    must(a.name == b.name && a.dtype == b.dtype && a.sizes == b.sizes);
  }
  return 0;
}
