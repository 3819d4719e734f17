#include "site/ascii.h"

#include <string>

#include <gtest/gtest.h>

namespace lectern {
namespace {

const std::string kPlain(64, 'a');

TEST(Ascii, FewCharactersBecomeReferences) {
  EXPECT_EQ(with_references(kPlain + "\u2014"), kPlain + "&#8212;");
  EXPECT_EQ(with_references("<p title=\"\u00E9\">" + kPlain + "\U0001F600</p>" + kPlain),
            "<p title=\"&#233;\">" + kPlain + "&#128512;</p>" + kPlain);
}

TEST(Ascii, WhatIsWrittenInAnotherScriptStays) {
  const std::string greek = "<p>\u03B1\u03B2\u03B3\u03B4</p>";
  EXPECT_EQ(with_references(greek), greek);
}

TEST(Ascii, ControlsHaveNoReference) {
  const std::string next_line = kPlain + "\u0085";
  EXPECT_EQ(with_references(next_line), next_line);
}

TEST(Ascii, AsciiStays) {
  EXPECT_EQ(with_references(""), "");
  EXPECT_EQ(with_references("<p>&amp; &#8212;</p>"), "<p>&amp; &#8212;</p>");
}

}  // namespace
}  // namespace lectern
