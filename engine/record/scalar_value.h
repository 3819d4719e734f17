#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "record/enumerators.h"
#include "record/type_name.h"
#include "record/value_writer.h"

/// Numbers, characters and strings of any width, enumerators.
namespace lectern::values {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

void write_wide(ValueWriter& out, std::u16string_view text);
void write_wide(ValueWriter& out, std::u32string_view text);
/// What is no character, as '\xD800'.
void write_code(ValueWriter& out, std::string_view type, std::uint32_t code);
/// All its digits where a double has fewer.
void write_long_double(ValueWriter& out, long double value);
void write_int128(ValueWriter& out, std::string_view type, bool negative, UInt128 magnitude);

template <typename T>
concept Character = std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

template <typename T>
inline constexpr bool is_string = false;
template <Character C, typename Traits, typename Allocator>
inline constexpr bool is_string<std::basic_string<C, Traits, Allocator>> = true;
template <Character C, typename Traits>
inline constexpr bool is_string<std::basic_string_view<C, Traits>> = true;

template <typename String>
void write_string(ValueWriter& out, const String& text) {
  using C = typename String::value_type;
  if constexpr (std::is_same_v<C, char>) {
    out.string(std::string_view(text.data(), text.size()));
  } else if constexpr (std::is_same_v<C, char8_t>) {
    out.string(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  } else if constexpr (sizeof(C) == 2) {
    write_wide(out, std::u16string_view(reinterpret_cast<const char16_t*>(text.data()), text.size()));
  } else {
    write_wide(out, std::u32string_view(reinterpret_cast<const char32_t*>(text.data()), text.size()));
  }
}

/// A character with its type, which tells it from a string.
template <Character C>
void write_character(ValueWriter& out, C value) {
  const std::string_view type = type_name<C>();
  if constexpr (sizeof(C) > 1) {
    const auto code = static_cast<std::uint32_t>(value);
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return write_code(out, type, code);
  }
  out.begin_typed(type);
  write_string(out, std::basic_string_view<C>(&value, 1));
  out.end();
}

template <typename T>
void write_scalar(ValueWriter& out, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    out.boolean(value);
  } else if constexpr (Character<T>) {
    write_character(out, value);
  } else if constexpr (std::is_same_v<T, Int128>) {
    const auto bits = static_cast<UInt128>(value);
    write_int128(out, type_name<T>(), value < 0, value < 0 ? -bits : bits);
  } else if constexpr (std::is_same_v<T, UInt128>) {
    write_int128(out, type_name<T>(), false, value);
  } else if constexpr (std::is_same_v<T, float>) {
    out.real(value);
  } else if constexpr (std::is_same_v<T, long double>) {
    write_long_double(out, value);
  } else if constexpr (!std::is_integral_v<T>) {
    out.real(static_cast<double>(value));
  } else if constexpr (std::is_signed_v<T>) {
    out.integer(value);
  } else {
    out.unsigned_integer(value);
  }
}

template <typename T>
void write_enum(ValueWriter& out, T value) {
  const auto number = static_cast<std::underlying_type_t<T>>(value);
  if (const std::string_view name = enumerators::name(value); !name.empty()) {
    out.enumerator(type_name<T>(), name, static_cast<std::int64_t>(number));
  } else {
    out.begin_typed(type_name<T>());
    write_scalar(out, +number);
    out.end();
  }
}

template <typename C, std::size_t N>
void write_string_array(ValueWriter& out, const C (&text)[N]) {
  std::size_t length = 0;
  while (length < N && text[length] != C{}) ++length;
  write_string(out, std::basic_string_view<C>(text, length));
}

}  // namespace lectern::values
