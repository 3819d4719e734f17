#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lectern {

/// A tag in HTML that Lectern made: text is escaped, values of attributes stand in double quotes.
struct HtmlTag {
  std::size_t begin = 0, end = 0;  ///< in the HTML; `end` is after ">"
  std::string_view name;
  std::string_view text;  ///< all of it

  bool is_end() const { return text.starts_with("</"); }

  /// The value of an attribute as it is written, with references; nothing without the attribute.
  std::optional<std::string_view> attribute(std::string_view attribute) const;
  /// Whether its class has this word.
  bool is_a(std::string_view word) const;
};

/// The next start tag from a place on.
std::optional<HtmlTag> next_tag(std::string_view html, std::size_t from);

/// The next start or end tag.
std::optional<HtmlTag> next_tag_of_any_kind(std::string_view html, std::size_t from);

/// Where the element of a start tag ends, after its end tag.
std::size_t element_end(std::string_view html, const HtmlTag& tag);

/// The tag with another value of an attribute that it has; without it, where there is no value. `value` is
/// escaped already.
std::string with_attribute(const std::string& tag, std::string_view attribute,
                           const std::optional<std::string>& value);

}  // namespace lectern
