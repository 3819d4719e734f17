#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <fmt/core.h>

namespace lectern {
namespace format_strings {

/// Translates a format of a lecture to one of {fmt}, in which braces that stand for themselves are doubled.
/// `put(char)` takes it.
template <typename Put>
class Translation {
 public:
  constexpr Translation(std::string_view format, Put put) : format_(format), put_(put) { group(); }

  /// The number of arguments that the fields take, including nested ones, {:{}}.
  constexpr std::size_t fields() const { return fields_; }
  /// Whether every field is closed.
  constexpr bool closed() const { return closed_; }

 private:
  constexpr char at(std::size_t i) const { return i < format_.size() ? format_[i] : '\0'; }

  constexpr void literal(char brace) {
    put_(brace);
    put_(brace);
  }

  /// Up to the brace that closes the group, or to the end.
  constexpr void group(bool inner = false) {
    while (at_ < format_.size()) {
      const char c = at(at_);
      if (c == '}' && inner) return;
      const bool twice = at(at_ + 1) == c;
      if (c == '{' && (at(at_ + 1) == '}' || at(at_ + 1) == ':')) {
        field();
      } else if (c == '{') {
        braces(twice && closes_twice(at_ + 2) ? 2 : 1);
      } else if (c == '}') {
        literal(c);
        at_ += twice ? 2 : 1;
      } else {
        put_(c);
        ++at_;
      }
    }
  }

  /// A pair of `count` braces on either side, and what is within.
  constexpr void braces(std::size_t count) {
    literal('{');
    at_ += count;
    group(true);
    if (at_ >= format_.size()) return;
    literal('}');
    at_ += count;
  }

  /// Whether the group that begins there ends with two braces, or not at all.
  constexpr bool closes_twice(std::size_t from) const {
    std::size_t depth = 0;
    for (std::size_t i = from; i < format_.size(); ++i) {
      if (format_[i] == '{') ++depth;
      if (format_[i] != '}') continue;
      if (depth == 0) return at(i + 1) == '}';
      --depth;
    }
    return true;
  }

  constexpr void field() {
    std::size_t depth = 0;
    do {
      const char c = at(at_);
      if (c == '{') ++depth, ++fields_;
      if (c == '}') --depth;
      put_(c);
      ++at_;
    } while (depth > 0 && at_ < format_.size());
    closed_ = closed_ && depth == 0;
  }

  std::string_view format_;
  Put put_;
  std::size_t at_ = 0;
  std::size_t fields_ = 0;
  bool closed_ = true;
};

// What a compiler names when it refuses a format.
void the_format_has_more_fields_than_arguments();
void the_format_has_fewer_fields_than_arguments();
void a_field_of_the_format_is_not_closed();

}  // namespace format_strings

/// The format of a text with arguments. Its fields are {} and {:…} with {fmt}'s specifications, an argument
/// each, in order. Other braces stand for themselves, so that LaTeX needs no escaping: in $\frac{1}{n}$ there
/// is no field. A brace that is to stand before } or : is doubled, with its partner, as in {fmt}: {{}} shows
/// {}.
///
/// A literal is checked by the compiler, other texts at run time: there are as many fields as arguments, and
/// specifications match the arguments' types. `Shown`: what {fmt} is given for each argument.
template <typename... Shown>
class FormatString {
 public:
  template <std::size_t N>
  consteval FormatString(const char (&text)[N]) : text_(text, N - 1) {
    std::array<char, 2 * N> buffer{};
    std::size_t size = 0;
    const auto put = [&](char c) { buffer[size++] = c; };
    const format_strings::Translation translation(text_, put);
    if (!translation.closed()) format_strings::a_field_of_the_format_is_not_closed();
    if (translation.fields() > sizeof...(Shown)) format_strings::the_format_has_more_fields_than_arguments();
    if (translation.fields() < sizeof...(Shown)) format_strings::the_format_has_fewer_fields_than_arguments();
    static_cast<void>(fmt::format_string<Shown...>(fmt::string_view(buffer.data(), size)));
  }
  template <std::convertible_to<std::string_view> Text>
  requires(!std::is_array_v<Text>) FormatString(const Text& text) : text_(text) {}

  constexpr operator std::string_view() const { return text_; }

 private:
  std::string_view text_;
};

}  // namespace lectern
