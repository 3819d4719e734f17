#include "record/utf8_tail.h"

#include <algorithm>
#include <string>

#include "base/utf8.h"

namespace lectern {

std::size_t unfinished_utf8(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(3, text.size()); ++length) {
    const std::string tail(text.substr(text.size() - length));
    if ((static_cast<unsigned char>(tail[0]) & 0xC0) == 0x80) continue;  // not the first byte of a character
    // After any first byte, one of these second bytes is well-formed, if any is.
    const bool completable =
        utf8_character(tail + "\x80\x80\x80") > length || utf8_character(tail + "\xA0\x80\x80") > length;
    return completable ? length : 0;
  }
  return 0;
}

}  // namespace lectern
