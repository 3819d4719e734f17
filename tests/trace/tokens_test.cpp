#include "trace/tokens.h"

#include <string>

#include <gtest/gtest.h>

namespace lectern {
namespace {

std::string joined(std::string_view text, std::string_view language = "cpp") {
  std::string list;
  for (const std::string_view token : tokens(text, language))
    list.append(list.empty() ? "" : " ").append(token);
  return list;
}

TEST(Tokens, BlanksAndCommentsDoNotCount) {
  EXPECT_EQ(joined("x=1; // one\n/* two */ y  +=\t2 ;"), "x = 1 ; y += 2 ;");
  EXPECT_EQ(joined("a // goes on \\\n here\nb"), "a b");
  EXPECT_EQ(joined(""), "");
}

TEST(Tokens, LongestOperators) {
  EXPECT_EQ(joined("a<=>b>>=c->*d::e...f<<<1,2>>>(g)"), "a <=> b >>= c ->* d :: e ... f <<< 1 , 2 >>> ( g )");
}

TEST(Tokens, Digraphs) {
  EXPECT_EQ(joined("a<:1:> <% x; %>"), "a <: 1 :> <% x ; %>");
  EXPECT_EQ(joined("vector<::T> v<:::n:>"), "vector < :: T > v <: :: n :>");
  EXPECT_EQ(joined("a[b<:c]", "python"), "a [ b < : c ]");
}

TEST(Tokens, AByteOrderMarkIsNone) {
  EXPECT_EQ(joined("\xEF\xBB\xBFint x;"), "int x ;");
}

TEST(Directives, EndWithTheirLine) {
  const auto directive = [](std::string_view source, std::size_t offset = 0) {
    return std::string(source.substr(offset, directive_end(source, offset) - offset));
  };
  EXPECT_EQ(directive("#if A\nx"), "#if A");
  EXPECT_EQ(directive("#if A"), "#if A");
  EXPECT_EQ(directive("x\n \t# if A \\\n B\nC", 4), "# if A \\\n B");
  EXPECT_EQ(directive("#if A \\\r\n B\r\nC"), "#if A \\\r\n B\r");
  EXPECT_EQ(directive("\xEF\xBB\xBF#if A\n", 3), "#if A");
  EXPECT_EQ(directive("%:if A\n"), "%:if A");
  EXPECT_EQ(directive("x # y\n", 2), "");
  EXPECT_EQ(directive("if A\n"), "");
}

TEST(Tokens, Strings) {
  EXPECT_EQ(joined(R"(f("a \" // b", 'c', '\'', u8"d"))"), R"(f ( "a \" // b" , 'c' , '\'' , u8"d" ))");
  EXPECT_EQ(joined("x = R\"end(a )\" // b\n)end\" + 1"), "x = R\"end(a )\" // b\n)end\" + 1");
}

TEST(Tokens, Numbers) {
  EXPECT_EQ(joined("1'000.5e-3f+0x1p+4-.5"), "1'000.5e-3f + 0x1p+4 - .5");
}

TEST(Tokens, Python) {
  EXPECT_EQ(joined("x = y // 2  # half", "python"), "x = y // 2");
  EXPECT_EQ(joined("s = rb'#' + '''a\n#b'''  # c", "python"), "s = rb'#' + '''a\n#b'''");
  EXPECT_EQ(joined("a ** b := c @ d", "python"), "a ** b := c @ d");
}

TEST(Tokens, NothingIsLostOfWhatIsNoToken) {
  EXPECT_EQ(joined("\x01 \xff\xfe \" open\nx"), "\x01 \xff\xfe \" open x");
  EXPECT_EQ(joined("R\"(never closed"), "R\"(never closed");
  EXPECT_EQ(joined("/* never closed"), "");
}

}  // namespace
}  // namespace lectern
