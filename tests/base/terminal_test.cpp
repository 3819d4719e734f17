#include "base/terminal.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(Terminal, EscapeSequencesAreTakenOut) {
  EXPECT_EQ(without_terminal_codes("\x1b[1;31mred\x1b[0m\x1b[K text"), "red text");
  EXPECT_EQ(without_terminal_codes("\x1b]8;;http://x\x1b\\link\x1b]8;;\a!"), "link!");
  EXPECT_EQ(without_terminal_codes("\x1b(Ba\x1b=b\x1b"
                                   "7c"),
            "abc");
}

TEST(Terminal, TextAndBlanksStay) {
  const std::string text = "a\tb\n\n  \u00E4 [31m \xFF\n";
  EXPECT_EQ(without_terminal_codes(text), text);
}

TEST(Terminal, ALineWrittenAgainIsItsLastVersion) {
  EXPECT_EQ(without_terminal_codes("start\n10 %\r100 %\nend\r\n"), "start\n100 %\nend\n");
  EXPECT_EQ(without_terminal_codes("done\r"), "done");
}

TEST(Terminal, OtherControlCharactersAreTakenOut) {
  EXPECT_EQ(without_terminal_codes(std::string("a\a\b\0\x7f"
                                               "b",
                                               6)),
            "ab");
}

TEST(Terminal, TornSequencesTakeNoLineWithThem) {
  EXPECT_EQ(without_terminal_codes("a\x1b"), "a");
  EXPECT_EQ(without_terminal_codes("a\x1b[31"), "a");
  EXPECT_EQ(without_terminal_codes("a\x1b]0;title\nb"), "a\nb");
  EXPECT_EQ(without_terminal_codes("a\x1b[3\nb"), "a\nb");
}

TEST(Terminal, OneLineHasNothingThatActs) {
  EXPECT_EQ(one_line("a\nb\x1b[31m\x7f"), "a⏎b␛[31m␡");
  EXPECT_EQ(one_line("a\u202Eb\u2066\u009B"), "a\\u{202E}b\\u{2066}\\u{9B}");
  EXPECT_EQ(one_line("\xff\xfe"), "\uFFFD\uFFFD");
  EXPECT_EQ(one_line("日本 é"), "日本 é");
}

}  // namespace
}  // namespace lectern
