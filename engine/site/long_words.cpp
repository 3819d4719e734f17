#include "site/long_words.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "site/html_tags.h"

namespace lectern {
namespace {

constexpr std::size_t kPaperWidth = 80;  // characters of a table's font, rather wide ones

/// A cell of a table, a `td` or `th`.
struct TableCell {
  std::size_t tag_end;  ///< of its start tag
  std::size_t column;
  std::size_t longest;  ///< of its words, in characters
};

/// What stands between blanks; a reference (`&amp;`) is a character. Formulas, which no break helps, are left
/// out.
std::size_t longest_word(std::string_view html) {
  std::size_t longest = 0, length = 0;
  for (std::size_t at = 0; at < html.size(); ++at) {
    const char c = html[at];
    if (c == '<') {
      const auto tag = next_tag_of_any_kind(html, at);
      if (!tag) break;
      if (tag->name == "br") length = 0;
      at = (tag->is_a("katex") ? element_end(html, *tag) : tag->end) - 1;
    } else if (c == ' ' || c == '\n') {
      length = 0;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      longest = std::max(longest, ++length);
      if (c == '&') at = std::min(html.find(';', at), html.size());
    }
  }
  return longest;
}

/// Those of a table, in order.
std::vector<TableCell> cells_of(std::string_view html, const HtmlTag& table) {
  std::vector<TableCell> cells;
  const std::size_t end = element_end(html, table);
  std::size_t column = 0;
  for (auto tag = next_tag(html, table.end); tag && tag->begin < end; tag = next_tag(html, tag->end)) {
    if (tag->name == "tr") column = 0;
    if (tag->name != "td" && tag->name != "th") continue;
    const std::size_t cell_end = element_end(html, *tag);
    cells.push_back({tag->end, column++, longest_word(html.substr(tag->end, cell_end - tag->end))});
  }
  return cells;
}

/// How long a word may be in a table of these cells; any length where all fit.
std::size_t most_of_word(const std::vector<TableCell>& cells) {
  std::vector<std::size_t> columns;
  for (const TableCell& cell : cells) {
    columns.resize(std::max(columns.size(), cell.column + 1));
    columns[cell.column] = std::max(columns[cell.column], cell.longest);
  }
  constexpr std::size_t kSpace = 2;  // after a column
  std::size_t width = 0;
  for (const std::size_t longest : columns) width += longest + kSpace;
  return width <= kPaperWidth ? width : std::max(kPaperWidth / columns.size(), kSpace + 1) - kSpace;
}

}  // namespace

std::string with_long_words_marked(std::string_view html) {
  std::string out;
  std::size_t done = 0;
  for (auto tag = next_tag(html, 0); tag; tag = next_tag(html, tag->end)) {
    if (tag->name != "table") continue;
    const std::vector<TableCell> cells = cells_of(html, *tag);
    const std::size_t most = most_of_word(cells);
    for (const TableCell& cell : cells) {
      if (cell.longest <= most) continue;
      out.append(html.substr(done, cell.tag_end - 1 - done)).append(" class=\"breaks\"");
      done = cell.tag_end - 1;
    }
  }
  return out.append(html.substr(done));
}

}  // namespace lectern
