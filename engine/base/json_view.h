#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// JSON text taken apart level by level, as views into it: for documents much larger than the parts that are
/// kept. The text must be valid JSON (JsonScanner checks it).

struct JsonMember {
  std::string_view name;  ///< as written between its quotes
  std::string_view value;
};

/// In document order; empty if it is no object.
std::vector<JsonMember> json_members(std::string_view object);

/// The member's value; empty if missing or null. The last of duplicates.
std::string_view json_member(const std::vector<JsonMember>& members, std::string_view name);

/// In document order; empty if it is no array.
std::vector<std::string_view> json_elements(std::string_view array);

/// The decoded string; empty if the text is no string. A lone surrogate becomes U+FFFD.
std::string json_string(std::string_view value);
/// The same for the text between the quotes.
std::string json_unescaped(std::string_view raw);

}  // namespace lectern
