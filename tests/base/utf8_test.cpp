#include "base/utf8.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(Utf8, WellFormedTextIsValid) {
  EXPECT_TRUE(valid_utf8(""));
  EXPECT_TRUE(valid_utf8("né 你好 🌍"));
}

TEST(Utf8, IllFormedTextIsNot) {
  for (const char* text :
       {"\x80", "\xC3", "\xC0\xAF", "\xE4\xBD", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF", "a\xE4z"}) {
    EXPECT_FALSE(valid_utf8(text));
  }
}

TEST(Utf8, EveryCodePointIsOneCharacter) {
  for (char32_t code_point = 1; code_point <= 0x10FFFF; code_point += code_point < 0x3000 ? 1 : 97) {
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    std::string text;
    append_utf8(text, code_point);
    EXPECT_EQ(utf8_character(text), text.size()) << std::hex << static_cast<unsigned>(code_point);
    if (surrogate) {
      EXPECT_EQ(text, "\xEF\xBF\xBD");
    } else {
      EXPECT_EQ(utf8_code_point(text), code_point);
    }
  }
}

TEST(Utf8, APrefixCutsNoCharacter) {
  const std::string text = "a你🌍";
  EXPECT_EQ(utf8_prefix(text, 0), "");
  EXPECT_EQ(utf8_prefix(text, 3), "a");
  EXPECT_EQ(utf8_prefix(text, 4), "a你");
  EXPECT_EQ(utf8_prefix(text, 7), "a你");
  EXPECT_EQ(utf8_prefix(text, 8), text);
  EXPECT_EQ(utf8_prefix(text, 99), text);
}

}  // namespace
}  // namespace lectern
