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

/// Formats into memory what goes to a captured stream.
int print_formatted(Stream stream, const wchar_t* format, std::va_list arguments) {
  wchar_t* text = nullptr;
  std::size_t size = 0;
  FILE* memory = open_wmemstream(&text, &size);
  if (memory == nullptr) return -1;
  const int count = std::vfwprintf(memory, format, arguments);
  std::fclose(memory);
  if (count >= 0) print(stream, std::wstring_view(text, size));
  std::free(text);
  return count;
}

}  // namespace

void print(Stream stream, std::wstring_view text) {
  std::string bytes;
  for (const wchar_t character : text) append_utf8(bytes, static_cast<char32_t>(character));
  print(stream, std::string_view(bytes));
}

}  // namespace lectern::capture

/// The C library's function of that name.
#define LECTERN_NEXT(name) reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))

/// What follows the format, by the function that takes a list.
#define LECTERN_PRINT_ARGUMENTS(file, format)           \
  std::va_list arguments;                               \
  va_start(arguments, format);                          \
  const int count = vfwprintf(file, format, arguments); \
  va_end(arguments);                                    \
  return count

// NOLINTBEGIN(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name): the C
// library's
extern "C" {

wint_t fputwc(wchar_t character, FILE* file) {
  static const auto next = LECTERN_NEXT(fputwc);
  const auto stream = lectern::capture::captured(file);
  if (!stream) return next(character, file);
  lectern::capture::print(*stream, std::wstring_view(&character, 1));
  return static_cast<wint_t>(character);
}

int fputws(const wchar_t* text, FILE* file) {
  static const auto next = LECTERN_NEXT(fputws);
  const auto stream = lectern::capture::captured(file);
  if (!stream) return next(text, file);
  lectern::capture::print(*stream, std::wstring_view(text));
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
  LECTERN_PRINT_ARGUMENTS(file, format);
}
int wprintf(const wchar_t* format, ...) {
  LECTERN_PRINT_ARGUMENTS(stdout, format);
}

// What the compiler calls in their place with _FORTIFY_SOURCE.
int __vfwprintf_chk(FILE* file, int, const wchar_t* format, std::va_list arguments) {
  return vfwprintf(file, format, arguments);
}
int __vwprintf_chk(int, const wchar_t* format, std::va_list arguments) {
  return vfwprintf(stdout, format, arguments);
}
int __fwprintf_chk(FILE* file, int, const wchar_t* format, ...) {
  LECTERN_PRINT_ARGUMENTS(file, format);
}
int __wprintf_chk(int, const wchar_t* format, ...) {
  LECTERN_PRINT_ARGUMENTS(stdout, format);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name)
