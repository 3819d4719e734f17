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

/// Bytes [begin, end) of the source.
struct Highlight {
  std::uint32_t begin, end;
  HighlightClass kind;
};

/// The highlighted ranges of a source, sorted and disjoint; what is between them is plain. `language`: "cpp",
/// "cuda", "c" or "python"; a source in any other is plain. Syntax errors do not matter: the rest of the
/// source is highlighted.
std::vector<Highlight> highlight(std::string_view source, std::string_view language);

}  // namespace lectern
