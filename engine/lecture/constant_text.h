#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace lectern {

class ValueWriter;

/// A text that is a constant where it is a literal: a constexpr of it is neither initialised nor destroyed at
/// run time. Any other text is copied, and kept to the end of the program.
class ConstantText : public std::string_view {
 public:
  constexpr ConstantText() = default;
  template <std::size_t N>
  constexpr ConstantText(const char (&literal)[N]) : std::string_view(literal) {}
  template <std::size_t N>
  ConstantText(char (&buffer)[N]) : ConstantText(std::string_view(buffer)) {}
  template <std::convertible_to<std::string_view> Text>
  requires(!std::derived_from<Text, ConstantText>) ConstantText(const Text& text)
      : std::string_view(kept(text)) {}

  friend void to_value(ValueWriter& out, const ConstantText& text);

 private:
  static std::string_view kept(std::string_view text);
};

/// Constant texts: sixteen of them in the object itself, more are kept as texts are.
class ConstantTexts {
 public:
  constexpr ConstantTexts() = default;
  constexpr ConstantTexts(std::initializer_list<ConstantText> texts) { take({texts.begin(), texts.size()}); }
  template <typename Range>
  requires std::convertible_to<decltype(*std::begin(std::declval<const Range&>())), std::string_view>
  ConstantTexts(const Range& texts) {
    take(std::vector<ConstantText>(std::begin(texts), std::end(texts)));
  }

  constexpr const ConstantText* begin() const { return many_ == nullptr ? few_.data() : many_; }
  constexpr const ConstantText* end() const { return begin() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

  friend void to_value(ValueWriter& out, const ConstantTexts& texts);

 private:
  constexpr void take(std::span<const ConstantText> texts) {
    size_ = texts.size();
    if (size_ <= few_.size()) {
      std::copy(texts.begin(), texts.end(), few_.begin());
    } else {
      many_ = kept(texts);
    }
  }
  static const ConstantText* kept(std::span<const ConstantText> texts);

  std::array<ConstantText, 16> few_ = {};
  const ConstantText* many_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lectern
