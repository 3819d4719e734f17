// What a compiler says of an instrumented lecture is about the author's own file, line and column.

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"
#include "instrument/lecture_files.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// "line:column" of the errors and warnings in the file of that name; "?" for one that is elsewhere.
std::set<std::string> places(const std::string& log, const std::string& file) {
  std::set<std::string> found;
  const std::regex message("([^\\n:]*):(\\d+):(\\d+): (fatal error|error|warning):");
  for (auto at = std::sregex_iterator(log.begin(), log.end(), message); at != std::sregex_iterator(); ++at) {
    found.insert((*at)[1] == file ? (*at)[2].str() + ":" + (*at)[3].str() : "?" + at->str());
  }
  return found;
}

std::string compile(const std::string& compiler, const fs::path& source) {
  const fs::path log = source.string() + ".log";
  const std::string command = compiler + " -std=c++20 -fsyntax-only -Wall -Wextra -I'" +
                              std::string(LECTERN_SOURCE_DIR) + "/tests/instrument/recorder' -I'" +
                              std::string(LECTERN_SOURCE_DIR) + "/engine' '" + source.string() + "' >'" +
                              log.string() + "' 2>&1";
  EXPECT_NE(std::system(command.c_str()), -1);
  return read_file(log);
}

struct Case {
  const char* name;
  const char* source;
};

class CompilerErrors : public testing::TestWithParam<Case> {};

TEST_P(CompilerErrors, AreWhereThePlainFileHasThem) {
  const fs::path folder = fs::path(LECTERN_CONSTRUCTS_OUT) / GetParam().name;
  const fs::path source = fs::weakly_canonical(folder) / "lecture.cpp";
  write_file(source, GetParam().source);
  const fs::path traced = folder / "traced/lecture.cpp";
  ASSERT_TRUE(instrument_lecture(source, traced).ok);
  for (const std::string compiler : {LECTERN_GXX, LECTERN_CLANGXX}) {
    const std::string plain_log = compile(compiler, source);
    const std::set<std::string> expected = places(plain_log, source.string());
    EXPECT_FALSE(expected.empty()) << plain_log;
    const std::string log = compile(compiler, traced);
    EXPECT_EQ(places(log, source.string()), expected) << compiler << "\n" << log;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CompilerErrors,
    testing::Values(
        Case{"statement", "int main() {\n  int x = 1;\n  x = missing + 1;\n  return x;\n}\n"},
        Case{"second_on_line", "int main() { int x = 1; x = 2; x = missing; return x; }\n"},
        Case{"unbraced",
             "int main() {\n  int x = 1;\n  if (x) x = one; else x = two;\n  for (int i = 0; i < three; "
             "++four) five();\n}\n"},
        Case{"headers",
             "int main() {\n  while (one) two();\n  do three(); while (four);\n  switch (five) { case 1: "
             "six(); }\n}\n"},
        Case{"tabs", "int main() {\n\tint x = 1;\tx = missing;\n\tif (x)\tx = other;\n}\n"},
        Case{"wide_letters",
             "void text(const char*);\nint main() {\n  text(\"\xE4\xBD\xA0\xE5\xA5\xBD\"); int y = missing; "
             "text(\"\xC3\xA9\"); y = other;\n}\n"},
        Case{"lambda",
             "int main() {\n  auto f = [](int n) { return n + missing; };\n  return f(1) + other;\n}\n"},
        Case{"template_body",
             "template <class T> int f(T t) { return t.missing(); }\nint main() { return f(1); }\n"},
        Case{"after_includes",
             "#include <cstdio> // comment\nint bad = missing;\nint main() { std::puts(1); }\n"},
        Case{"claims", "#include <cassert>\nint main() {\n  int x = 1;\n  assert(x); x = missing;\n}\n"},
        Case{"warnings",
             "int main() {\n  int unused = 1;\n  for (int i = 0; i < 3u; ++i) int inner = 2;\n}\n"},
        Case{"unfinished", "struct S {\n  int x = missing;\n  S() : x(other) { x = third; }\n};\n"}),
    [](const testing::TestParamInfo<Case>& one) { return one.param.name; });

TEST(Directives, AnUnknownNameIsReportedAtTheDirective) {
  const fs::path folder = fs::path(LECTERN_CONSTRUCTS_OUT) / "directive";
  const fs::path source = fs::weakly_canonical(folder) / "lecture.cpp";
  write_file(source,
             "int main() {\n"
             "  int x = 1;  // @inspect x missing\n"
             "  if (x) x = 2;  // what it is now: @inspect gone\n"
             "  for (int i = 0; i < 2; ++i) {  // @full nothing\n"
             "    x += i;\n"
             "  }\n"
             "  /* \xE4\xBD\xA0 is you:  @inspect absent */ x = 3;\n"
             "  return x;  // @inspect last\n"
             "}\n");
  const fs::path traced = folder / "traced/lecture.cpp";
  ASSERT_TRUE(instrument_lecture(source, traced).ok);
  // g++ counts what is seen, clang++ bytes: a letter of three bytes is two columns wide.
  const std::set<std::string> lines{"2:29", "3:46", "4:43", "8:26"};
  std::set<std::string> gcc = lines, clang = lines;
  gcc.insert("7:27");
  clang.insert("7:28");
  EXPECT_EQ(places(compile(LECTERN_GXX, traced), source.string()), gcc)
      << read_file(traced.string() + ".log");
  EXPECT_EQ(places(compile(LECTERN_CLANGXX, traced), source.string()), clang)
      << read_file(traced.string() + ".log");
}

}  // namespace
}  // namespace lectern
