// The instrumented file warns about nothing that the plain one does not, and keeps the warnings that readers
// of a build rely on, at their lines and columns.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"
#include "instrument/instrumented.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

using Warnings = std::multiset<std::string>;

class CompilerWarnings : public testing::TestWithParam<std::string> {
 protected:
  /// "line:column: [-Wflag]" of each warning.
  static Warnings of(const std::string& text) {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();  // tests run at once
    std::replace(name.begin(), name.end(), '/', '-');
    const fs::path work = fs::path(LECTERN_CONSTRUCTS_OUT) / name;
    fs::create_directories(work);
    const fs::path file = work / "warnings.cpp", log = work / "warnings.log";
    write_file(file, text);
    const std::string root = LECTERN_SOURCE_DIR;
    const std::string command = GetParam() + " -std=c++20 -O2 -Wall -Wextra -I'" + root +
                                "/tests/instrument/recorder' -I'" + root + "/engine' -c '" + file.string() +
                                "' -o '" + file.string() + ".o' >'" + log.string() + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << read_file(log);
    const std::string said = read_file(log);
    Warnings warnings;
    const std::regex pattern(R"(:(\d+:\d+): (?:warning|error): .*(\[-W[^\]]*\]))");
    for (std::sregex_iterator it(said.begin(), said.end(), pattern), end; it != end; ++it)
      warnings.insert((*it)[1].str() + " " + (*it)[2].str());
    return warnings;
  }

  static void expect_same(const std::string& source) {
    const Instrumented file = instrument_text(source);
    ASSERT_EQ(errors_of(file), "");
    EXPECT_EQ(of(file.text), of(source)) << GetParam() << " on\n" << source;
  }
};

TEST_P(CompilerWarnings, LoopsThatNeverEnd) {
  expect_same("int f(int x) {\n  while (true) {\n    if (x > 3) return x;\n    ++x;\n  }\n}\n");
  expect_same("int f(int x) {\n  while (1)\n    if (x++ > 3) return x;\n}\n");
  expect_same("int f(int x) {\n  for (;;) {\n    if (x++ > 3) return x;\n  }\n}\n");
  expect_same("int f(int x) {\n  for (; true; ++x) {\n    if (x > 3) return x;\n  }\n}\n");
  expect_same("int f(int x) {\n  do {\n    if (x++ > 3) return x;\n  } while (true);\n}\n");
  expect_same(
      "constexpr bool forever = true;\nint f(int x) {\n  while (forever) {\n    if (x++ > 3) return x;\n  "
      "}\n}\n");
  expect_same("#define FOREVER 1\nint f(int x) {\n  while (FOREVER) {\n    if (x++ > 3) return x;\n  }\n}\n");
}

TEST_P(CompilerWarnings, LoopsThatRunOnce) {
  expect_same(
      "int f(int x) {\n  int y;\n  do {\n    y = x;\n    if (x > 3) break;\n    y += 1;\n  } while (false);\n"
      "  return y;\n}\n");
}

TEST_P(CompilerWarnings, WhatThePlainFileIsWarnedAbout) {
  const std::string source =
      "int g(int x) {\n"
      "  int unused = 1;\n"
      "  switch (x) {\n"
      "    case 1:\n"
      "      x = 2;\n"
      "    case 2:\n"
      "      x = 3;\n"
      "      break;\n"
      "    case 3:\n"
      "      x = 4;\n"
      "      [[fallthrough]];\n"
      "    default:\n"
      "      break;\n"
      "  }\n"
      "  if (x = 3) return 1;\n"
      "  x == 4;\n"
      "  if (true) return x;\n"
      "}\n";
  EXPECT_GE(of(source).size(), 3U);
  expect_same(source);
}

INSTANTIATE_TEST_SUITE_P(Both, CompilerWarnings, testing::Values(LECTERN_GXX, LECTERN_CLANGXX),
                         [](const auto& compiler) { return compiler.index == 0 ? "gcc" : "clang"; });

}  // namespace
}  // namespace lectern
