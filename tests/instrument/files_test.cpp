#include "base/files.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "instrument/lecture_files.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

class LectureFiles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ / "lectures"); }
  void write(const std::string& name, const std::string& text) {
    write_file(folder_ / "lectures" / name, text);
  }

  test::TemporaryFolder folder_;
};

TEST_F(LectureFiles, HeadersOfTheFolderAreInstrumentedBesideTheOutput) {
  write("main.cpp",
        "#include \"parts/a.h\"\n#include \"missing.h\"\n#include \"../outside.h\"\n#include "
        "\"data.def\"\nint main() { return a(); }\n");
  write("parts/a.h", "#pragma once\n#include \"b.h\"\ninline int a() { return b(); }\n");
  write("parts/b.h", "#pragma once\n#include \"../parts/a.h\"\ninline int b() { return 0; }\n");
  write("data.def", "X(1)\n");
  write_file(folder_ / "outside.h", "inline int outside() { return 1; }\n");
  const fs::path output = folder_ / "out/main.traced.cpp";
  const fs::path depfile = folder_ / "out/main.d";
  const InstrumentedLecture lecture = instrument_lecture(
      folder_ / "lectures/main.cpp", output, {.inspect_all = false, .folder = {}, .depfile = depfile});
  ASSERT_TRUE(lecture.ok);
  EXPECT_EQ(lecture.traced_functions, 3);
  ASSERT_EQ(lecture.outputs.size(), 3U);
  EXPECT_EQ(lecture.outputs[0], output);
  EXPECT_EQ(lecture.outputs[1], folder_ / "out/parts/a.h");
  EXPECT_EQ(lecture.outputs[2], folder_ / "out/parts/b.h");
  EXPECT_NE(read_file(folder_ / "out/parts/b.h").find("\"parts/b.h\""), std::string::npos);
  const std::string rule = read_file(depfile);
  std::string target = output.string();
  for (std::size_t at = 0; (at = target.find(' ', at)) != std::string::npos; at += 2) target.insert(at, "\\");
  EXPECT_EQ(rule.find(target + ":"), 0U) << rule;
  EXPECT_NE(rule.find("parts/b.h"), std::string::npos);
}

TEST_F(LectureFiles, OneThatAMacroNamesIsInstrumented) {
  write(
      "main.cpp",
      "#include \"names.h\"\n#if A\n#define PART \"a.h\"\n#else\n#define PART OTHER\n#endif\n#include PART\n"
      "#include UNKNOWN_HEADER\nint main() {}\n");
  write("names.h", "#define OTHER \"b.h\"\n");
  write("a.h", "inline int a() { return 1; }\n");
  write("b.h", "inline int b() { return 1; }\n");
  const InstrumentedLecture lecture =
      instrument_lecture(folder_ / "lectures/main.cpp", folder_ / "out/main.cpp");
  EXPECT_EQ(lecture.traced_functions, 3);
  EXPECT_TRUE(lecture.diagnostics.empty());
  EXPECT_TRUE(fs::exists(folder_ / "out/a.h"));
  EXPECT_TRUE(fs::exists(folder_ / "out/b.h"));
}

TEST_F(LectureFiles, FunctionsThatAreNotSteppedAreWarnedAbout) {
  write("main.cpp",
        "#include \"part.inc\"\nnamespace n {\n#include \"inner.h\"\n}\n#define FILE_OF(x) #x\n"
        "#include FILE_OF(a)\n#include \"data.def\"\n#include \"../outside.inc\"\nint main() {}\n");
  write("part.inc", "int part() { return 1; }\n");
  write("inner.h", "int inner() { return 1; }\n");
  write("data.def", "X(1)\n");
  write_file(folder_ / "outside.inc", "int outside() { return 1; }\n");
  const fs::path depfile = folder_ / "main.d";
  const InstrumentedLecture lecture =
      instrument_lecture(folder_ / "lectures/main.cpp", folder_ / "out/main.cpp",
                         {.inspect_all = false, .folder = {}, .depfile = depfile});
  ASSERT_TRUE(lecture.ok);
  std::string said;
  for (const Diagnostic& warning : lecture.diagnostics)
    said += std::to_string(warning.place.line) + ": " + warning.message + "\n";
  EXPECT_EQ(
      said,
      "1: the functions in part.inc are not stepped: files of the kind .inc are not; name it part.h\n"
      "3: the functions in inner.h are not stepped: it is included inside a class or namespace; include it "
      "outside, or write them here\n"
      "6: a macro with arguments names this file, so its functions are not stepped; write its name in "
      "quotes\n");
  EXPECT_NE(read_file(depfile).find("part.inc"), std::string::npos) << "the warning depends on it";
}

TEST_F(LectureFiles, MacrosOfAllThatIsIncludedAreKnown) {
  const std::string show = "(x) print(#x)\n";
  write("main.cpp",
        "#include \"a.h\"\n#include \"../outside.h\"\nint main() {\n  show_a([] { f(); });\n  "
        "show_b([] { f(); });\n  show_c([] { f(); });\n  show_d([] { f(); });\n}\n");
  write("a.h", "#include \"b.inc\"\n#include \"c.h\"\n#define show_a" + show);
  write("b.inc", "#define show_b" + show);
  write("c.h", "#define show_c" + show + "inline void c() { show_a([] { f(); }); }\n");
  write_file(folder_ / "outside.h", "#define show_d" + show);
  const fs::path depfile = folder_ / "main.d";
  const InstrumentedLecture lecture =
      instrument_lecture(folder_ / "lectures/main.cpp", folder_ / "out/main.cpp",
                         {.inspect_all = false, .folder = {}, .depfile = depfile});
  ASSERT_TRUE(lecture.ok);
  EXPECT_EQ(lecture.traced_functions, 2);
  EXPECT_EQ(lecture.untraced_functions, 5);
  for (const char* file : {"a.h", "b.inc", "c.h", "outside.h"})
    EXPECT_NE(read_file(depfile).find(file), std::string::npos) << file;
}

TEST_F(LectureFiles, AnErrorWritesNothing) {
  write("main.cpp", "#include \"a.h\"\nint main() {}\n");
  write("a.h", "void f() {\n  g();  // @inspct x\n}\n");
  const InstrumentedLecture lecture = instrument_lecture(folder_ / "lectures/main.cpp", folder_ / "out.cpp");
  EXPECT_FALSE(lecture.ok);
  EXPECT_FALSE(fs::exists(folder_ / "out.cpp"));
  EXPECT_FALSE(fs::exists(folder_ / "a.h"));
}

TEST_F(LectureFiles, UnchangedOutputsKeepTheirTime) {
  write("main.cpp", "int main() {}\n");
  const fs::path output = folder_ / "out/main.cpp";
  instrument_lecture(folder_ / "lectures/main.cpp", output);
  const auto before = fs::last_write_time(output);
  instrument_lecture(folder_ / "lectures/main.cpp", output);
  EXPECT_EQ(fs::last_write_time(output), before);
}

TEST_F(LectureFiles, ASourceIsNeverOverwritten) {
  write("main.cpp", "int main() {}\n");
  const fs::path main = folder_ / "lectures/main.cpp";
  EXPECT_THROW(instrument_lecture(main, main), Error);
  EXPECT_EQ(read_file(main), "int main() {}\n");
}

}  // namespace
}  // namespace lectern
