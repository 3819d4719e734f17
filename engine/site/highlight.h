#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lectern {

enum class HighlightClass : std::uint8_t {
  keyword,
  type,
  function,
  number,
  string,
  comment,
  preprocessor,
  constant,
  operator_
};

/// "keyword", "type", … : the class's name for a style sheet.
std::string_view to_string(HighlightClass kind);

/// Bytes [begin, end) of the source.
struct Highlight {
  std::uint32_t begin, end;
  HighlightClass kind;
};

/// What stands out in a source: sorted ranges that do not overlap; what is between them is plain. `language`
/// as in a trace's source: "cpp", "cuda", "c" or "python"; all of another is plain. A source that does not
/// parse is highlighted as far as it does.
std::vector<Highlight> highlight(std::string_view source, std::string_view language);

}  // namespace lectern
