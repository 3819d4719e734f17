#include "site/long_words.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<table>";
  for (const auto& row : rows) {
    html += "<tr>";
    for (const std::string& cell : row) html += "<td>" + cell + "</td>";
    html += "</tr>";
  }
  return html + "</table>";
}

/// The cells that are marked, as "row.column".
std::string marked(const std::vector<std::vector<std::string>>& rows) {
  std::string found, html = with_long_words_marked(table(rows));
  int row = -1, column = 0;
  for (std::size_t at = 0; at < html.size(); ++at) {
    const std::string_view rest = std::string_view(html).substr(at);
    if (rest.starts_with("<tr>")) ++row, column = 0;
    if (rest.starts_with("<td class=\"breaks\">"))
      found += std::to_string(row) + "." + std::to_string(column) + " ";
    if (rest.starts_with("<td")) ++column;
  }
  return found;
}

std::string word(std::size_t length) {
  return std::string(length, 'w');
}

TEST(LongWords, AreMarkedWhereATableIsTooWide) {
  EXPECT_EQ(marked({{word(70)}}), "");
  EXPECT_EQ(marked({{word(200)}}), "0.0 ");
  EXPECT_EQ(marked({{"a", word(90), "a"}, {"b", "prose " + word(30), "b"}, {"c", word(20), "c"}}),
            "0.1 1.1 ");
  EXPECT_EQ(marked({{"a", word(45), "b"}, {"c", word(20), word(20)}}), "") << "all fit";
  EXPECT_EQ(marked({std::vector<std::string>(8, word(8))}), "");
  EXPECT_EQ(marked({std::vector<std::string>(8, word(9)), std::vector<std::string>(8, word(8))}),
            "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 ");
}

TEST(LongWords, AreMeasuredAsTheyAreSeen) {
  std::string letters;
  for (int i = 0; i < 100; ++i) letters += "\u00E9";
  EXPECT_EQ(marked({{"<code>" + word(40) + "</code><em title=\"" + word(60) + "\">" + word(30) + "</em>"}}),
            "");
  EXPECT_EQ(marked({{"<code>" + word(40) + "</code><em>" + word(50) + "</em>"}}), "0.0 ");
  EXPECT_EQ(marked({{word(60) + "<br />" + word(60)}}), "");
  EXPECT_EQ(marked({{letters.substr(0, 140)}}), "");
  EXPECT_EQ(marked({{letters}}), "0.0 ");
  EXPECT_EQ(
      marked({{"&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;"}}), "");
  EXPECT_EQ(marked({{"<span class=\"katex\"><span>" + word(100) + "</span></span>"}}), "");
}

TEST(LongWords, OutsideOfTablesAreLeft) {
  const std::string html = "<p>" + word(200) + "</p>" + table({{"a"}}) + "<p>" + word(200) + "</p>";
  EXPECT_EQ(with_long_words_marked(html), html);
}

}  // namespace
}  // namespace lectern
