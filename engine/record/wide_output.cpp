#include "record/wide_output.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <optional>
#include <string>
#include <string_view>

#include <dlfcn.h>

#include "base/utf8.h"

namespace lectern::capture {
namespace {

void print_wide(Stream stream, std::wstring_view text) {
  std::string bytes;
  for (const wchar_t character : text) append_utf8(bytes, static_cast<char32_t>(character));
  print(stream, bytes.data(), bytes.size());
}

class WideStreamBuffer final : public std::wstreambuf {
 public:
  explicit WideStreamBuffer(Stream stream) : stream_(stream) {}

 private:
  int_type overflow(int_type character) override {
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
    const wchar_t wide = traits_type::to_char_type(character);
    print_wide(stream_, {&wide, 1});
    return character;
  }
  std::streamsize xsputn(const wchar_t* text, std::streamsize size) override {
    print_wide(stream_, {text, static_cast<std::size_t>(size)});
    return size;
  }

  Stream stream_;
};

/// Formats into memory what goes to a captured stream.
int print_formatted(Stream stream, const wchar_t* format, std::va_list arguments) {
  wchar_t* text = nullptr;
  std::size_t size = 0;
  FILE* memory = open_wmemstream(&text, &size);
  if (memory == nullptr) return -1;
  const int count = std::vfwprintf(memory, format, arguments);
  std::fclose(memory);
  if (count >= 0) print_wide(stream, {text, size});
  std::free(text);
  return count;
}

}  // namespace

std::wstreambuf* make_wide_buffer(Stream stream) {
  return new WideStreamBuffer(stream);
}

}  // namespace lectern::capture

/// The C library's function of that name.
#define LECTERN_NEXT(name) reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))

// NOLINTBEGIN(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name): the C
// library's
extern "C" {

wint_t fputwc(wchar_t character, FILE* file) {
  static const auto next = LECTERN_NEXT(fputwc);
  const auto stream = lectern::capture::captured(file);
  if (!stream) return next(character, file);
  lectern::capture::print_wide(*stream, {&character, 1});
  return static_cast<wint_t>(character);
}

int fputws(const wchar_t* text, FILE* file) {
  static const auto next = LECTERN_NEXT(fputws);
  const auto stream = lectern::capture::captured(file);
  if (!stream) return next(text, file);
  lectern::capture::print_wide(*stream, text);
  return 1;
}

int vfwprintf(FILE* file, const wchar_t* format, std::va_list arguments) {
  static const auto next = LECTERN_NEXT(vfwprintf);
  const auto stream = lectern::capture::captured(file);
  return stream ? lectern::capture::print_formatted(*stream, format, arguments)
                : next(file, format, arguments);
}

wint_t putwc(wchar_t character, FILE* file) {
  return fputwc(character, file);
}
wint_t putwchar(wchar_t character) {
  return fputwc(character, stdout);
}
wint_t fputwc_unlocked(wchar_t character, FILE* file) {
  return fputwc(character, file);
}
wint_t putwc_unlocked(wchar_t character, FILE* file) {
  return fputwc(character, file);
}
wint_t putwchar_unlocked(wchar_t character) {
  return fputwc(character, stdout);
}
int fputws_unlocked(const wchar_t* text, FILE* file) {
  return fputws(text, file);
}

int vwprintf(const wchar_t* format, std::va_list arguments) {
  return vfwprintf(stdout, format, arguments);
}
int fwprintf(FILE* file, const wchar_t* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int count = vfwprintf(file, format, arguments);
  va_end(arguments);
  return count;
}
int wprintf(const wchar_t* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int count = vfwprintf(stdout, format, arguments);
  va_end(arguments);
  return count;
}

// What the compiler calls in their place with _FORTIFY_SOURCE.
int __vfwprintf_chk(FILE* file, int, const wchar_t* format, std::va_list arguments) {
  return vfwprintf(file, format, arguments);
}
int __vwprintf_chk(int, const wchar_t* format, std::va_list arguments) {
  return vfwprintf(stdout, format, arguments);
}
int __fwprintf_chk(FILE* file, int, const wchar_t* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int count = vfwprintf(file, format, arguments);
  va_end(arguments);
  return count;
}
int __wprintf_chk(int, const wchar_t* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int count = vfwprintf(stdout, format, arguments);
  va_end(arguments);
  return count;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name)
