#include "record/utf8_tail.h"

namespace lectern {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Bytes of the sequence that a first byte begins; 0 when none does.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

bool continues(unsigned char first, std::size_t index, unsigned char byte) {
  if (index == 1) {
    if (first == 0xe0) return byte >= 0xa0 && byte <= 0xbf;
    if (first == 0xed) return byte >= 0x80 && byte <= 0x9f;
    if (first == 0xf0) return byte >= 0x90 && byte <= 0xbf;
    if (first == 0xf4) return byte >= 0x80 && byte <= 0x8f;
  }
  return byte >= 0x80 && byte <= 0xbf;
}

// Bytes from `at` on that belong to one (perhaps unfinished) sequence; 0 when they are none.
std::size_t matching(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  const std::size_t length = sequence_length(first);
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i == text.size()) return i;
    if (!continues(first, i, byte_at(text, at + i))) return 0;
  }
  return length;
}

}  // namespace

std::size_t unfinished_utf8(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const std::size_t at = text.size() - back;
    const std::size_t length = sequence_length(byte_at(text, at));
    if (length > 1) return length > back && matching(text, at) == back ? back : 0;
    if (length == 1) return 0;
  }
  return 0;
}

}  // namespace lectern
