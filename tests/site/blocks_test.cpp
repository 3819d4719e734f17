#include "site/blocks.h"

#include <string>

#include <gtest/gtest.h>

namespace lectern {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// So many lines in blocks, each of so many letters.
std::string lines(int number, int letters, bool folds, std::string_view* below = nullptr) {
  std::string out;
  Blocks blocks(out);
  blocks.begin(folds);
  for (int i = 0; i < number; ++i) {
    blocks.next();
    blocks.set_read();
    blocks.add_line();
    out += std::string(static_cast<std::size_t>(letters), 'x') + "\n";
  }
  blocks.end();
  if (below != nullptr) *below = blocks.below_class();
  return out;
}

TEST(Blocks, ThoseOfTheFirstWindowAreNearAndLow) {
  std::string_view below;
  const std::string page = lines(200, 10, false, &below);
  EXPECT_EQ(below, " far");
  lines(40, 10, false, &below);
  EXPECT_EQ(below, " tall");
  EXPECT_EQ(page.find("<div class=\"block near\">"), 0u);
  const std::size_t tall = page.find("<div class=\"block near tall\">"),
                    rest = page.find("<div class=\"block\">");
  ASSERT_NE(tall, page.npos);
  ASSERT_NE(rest, page.npos);
  EXPECT_LT(page.rfind("<div class=\"block near\">"), tall);
  EXPECT_LT(page.rfind("<div class=\"block near tall\">"), rest);
  // Lines of 23 pixels: a window of 860 has room for less than 40 of them, of 1400 for less than 60.
  EXPECT_LT(count(page.substr(0, tall), "xxxxxxxxxx"), 40);
  EXPECT_GT(count(page.substr(0, tall), "xxxxxxxxxx"), 20);
  EXPECT_LT(count(page.substr(0, rest), "xxxxxxxxxx"), 62);
  EXPECT_EQ(count(page, "<div class=\"block\">"), 1);
}

TEST(Blocks, FarOnesAreAsLargeAsAWindowOfCode) {
  const std::string page = lines(1000, 100, false);
  EXPECT_EQ(count(page, "<div class=\"block\">"), 6);
  EXPECT_EQ(count(page, "<div"), count(page, "</div>"));
}

TEST(Blocks, WhatAFoldHoldsTakesNoRoom) {
  std::string_view below;
  const std::string page = lines(200, 10, true, &below);
  EXPECT_EQ(below, "");
  EXPECT_EQ(count(page, "<div class=\"block near\">"), 1);
}

TEST(Blocks, WhatOnlyRawViewShowsSaysSo) {
  std::string out;
  Blocks blocks(out);
  blocks.begin(false);
  blocks.end();
  EXPECT_EQ(out, "<div class=\"block near raw\">\n</div>\n");
}

TEST(Blocks, ProseIsAsHighAsItsTextWithoutCardsAndMathml) {
  const std::string letters(850, 'x');
  const auto near_after = [](const std::string& html) {
    std::string out;
    Blocks blocks(out);
    for (int i = 0; i < 2; ++i) blocks.add_html(html);
    blocks.begin(false);
    return out == "<div class=\"block near\">\n";
  };
  EXPECT_FALSE(near_after("<p>" + letters + letters + "</p>"));
  EXPECT_TRUE(near_after("<p>" + letters + "</p><span class=\"card\"><b>" + letters + "</b></span>"));
  EXPECT_TRUE(near_after("<p>" + letters + "</p><math><mi>" + letters + "</mi></math>"));
}

}  // namespace
}  // namespace lectern
