#pragma once

#include <streambuf>
#include <string_view>

#include "record/output_capture.h"
#include "record/wide_output.h"

namespace lectern::capture {

/// A buffer of its own for a C++ stream: that of C may be closed before it.
template <typename Char>
class StreamBuffer final : public std::basic_streambuf<Char> {
 public:
  explicit StreamBuffer(Stream stream) : stream_(stream) {}

 private:
  using Traits = std::char_traits<Char>;

  typename Traits::int_type overflow(typename Traits::int_type character) override {
    if (Traits::eq_int_type(character, Traits::eof())) return Traits::not_eof(character);
    const Char one = Traits::to_char_type(character);
    print(stream_, std::basic_string_view<Char>(&one, 1));
    return character;
  }
  std::streamsize xsputn(const Char* text, std::streamsize size) override {
    print(stream_, std::basic_string_view<Char>(text, static_cast<std::size_t>(size)));
    return size;
  }

  Stream stream_;
};

}  // namespace lectern::capture
