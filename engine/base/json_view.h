#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// JSON text taken apart level by level, as views into it: for documents that are much larger than what is
/// kept of them. The text must be JSON (JsonScanner goes over it).

struct JsonMember {
  std::string_view name;  ///< as written between its quotes
  std::string_view value;
};

/// In their order; empty when the text is no object.
std::vector<JsonMember> json_members(std::string_view object);

/// The member's value; empty when there is none, or null. Of several the last.
std::string_view json_member(const std::vector<JsonMember>& members, std::string_view name);

/// In their order; empty when the text is no array.
std::vector<std::string_view> json_elements(std::string_view array);

/// The text that a string stands for; empty when the text is no string. Half a surrogate pair becomes U+FFFD.
std::string json_string(std::string_view value);
/// The same of what stands between the quotes.
std::string json_unescaped(std::string_view raw);

/// JSON as Python and JavaScript libraries write it, made valid: NaN, Infinity and -Infinity, where they
/// stand for values, become {"float":"nan"}, {"float":"inf"} and {"float":"-inf"}. Lines stay as they are.
std::string with_valid_numbers(std::string_view text);

}  // namespace lectern
