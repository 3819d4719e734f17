#include "site/scaffolding.h"

#include <string>

#include <gtest/gtest.h>

namespace lectern {
namespace {

/// A letter per line: "s" for scaffolding, "-" for all else.
std::string lines(std::vector<std::string> source, const std::string& language = "cpp") {
  SourceFile file{"a.cpp", language, {}};
  file.lines = std::move(source);
  std::string out;
  for (const bool scaffolding : scaffolding_lines(file)) out += scaffolding ? 's' : '-';
  return out;
}

TEST(Scaffolding, IsWhatOnlyHoldsTheProgramTogether) {
  EXPECT_EQ(lines({"// The file.", "", "#pragma once", "#include <a>", "using namespace b;", "using c::d;"}),
            "s-ssss");
  EXPECT_EQ(lines({"void f(), g(int x);", "int* h(int,", "       int);", "struct S;",
                   "template <typename T> T t(T);"}),
            "sssss");
  EXPECT_EQ(lines({"namespace a {", "int x = 3;", "}  // namespace a"}), "s-s");
}

TEST(Scaffolding, IsNothingThatAReaderNeeds) {
  EXPECT_EQ(lines({"constexpr int kScale = 4;", "const std::string text = make(3);",
                   "using Bytes = std::string;", "#define TWO 2"}),
            "----");
  EXPECT_EQ(lines({"struct S {", "  int a;", "};", "int f() {", "  return 1;", "}"}), "------");
  EXPECT_EQ(lines({"// Why four.", "constexpr int kScale = 4;", "// of g", "void g();"}), "--ss");
  EXPECT_EQ(lines({"using a::b; int x = 3;"}), "-");
}

TEST(Scaffolding, OfPython) {
  EXPECT_EQ(lines({"import a", "from b import c", "x = 3", "def f():", "    import d"}, "python"), "ss---");
}

TEST(Scaffolding, OfAnyText) {
  EXPECT_EQ(lines({"#include <a>"}, "text"), "-");
  for (const char* text : {"", "}", "namespace", "namespace {", "/*", "void f(", "#if 1"}) {
    EXPECT_EQ(lines({text, ""}).size(), 2u) << text;
  }
}

}  // namespace
}  // namespace lectern
