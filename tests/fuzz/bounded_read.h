#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "allocation.h"
#include "base/error.h"

namespace lectern::test {

/// What `parse(text)` reads; nothing when it refuses the text. Aborts when that took more than `ratio` bytes
/// of memory for each byte of the text, and 64 KB.
template <typename Parse>
auto bounded_read(std::string_view text, std::size_t ratio, Parse parse) {
  std::optional<decltype(parse(text))> read;
  const std::size_t memory = memory_for([&] {
    try {
      read = parse(text);
    } catch (const Error&) {  // what is none is refused
    }
  });
  if (memory > ratio * text.size() + (64 << 10)) {
    std::fprintf(stderr, "%zu bytes of memory for %zu bytes of text\n", memory, text.size());
    std::abort();
  }
  return read;
}

}  // namespace lectern::test
