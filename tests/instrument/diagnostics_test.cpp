#include <gtest/gtest.h>

#include "instrument/instrumented.h"

namespace lectern {
namespace {

TEST(Refuses, WhatHasProbesAlready) {
  const Instrumented once = instrument_text("int main() { return 0; }\n");
  EXPECT_EQ(errors_of(once), "");
  EXPECT_TRUE(has(errors_of(instrument_text(once.text)), "has probes already"));
}

TEST(Refuses, ConditionalsThatSplitBraces) {
  const std::string errors = errors_of(instrument_text(
      "int f(int x) {\n#if A\n  if (x) {\n#else\n  if (!x) {\n#endif\n    x = 1;\n  }\n  return x;\n}\n"));
  EXPECT_TRUE(has(errors, "2:1: ")) << errors;
  EXPECT_TRUE(has(errors, "4:1: ")) << errors;
  EXPECT_TRUE(has(errors, "put whole statements and both brackets into each branch")) << errors;
}

TEST(Refuses, BracesHiddenInMacros) {
  EXPECT_NE(errors_of(instrument_text(
                "#define BEGIN {\nint f() BEGIN\n  return 1;\n}\nint main() { return f(); }\n")),
            "");
}

TEST(Refuses, Modules) {
  EXPECT_TRUE(has(errors_of(instrument_text("import std;\nint main() {}\n")), "1:1: "));
}

TEST(Refuses, LineDirectives) {
  EXPECT_TRUE(
      has(errors_of(instrument_text("int main() {\n#line 50\n  return 0;\n}\n")), "2:1: a #line of its own"));
}

TEST(Refuses, BottomlessNesting) {
  const std::string deep(5000, '(');
  EXPECT_TRUE(has(errors_of(instrument_text("int x = " + deep + "1" + std::string(5000, ')') + ";\n")),
                  "nested too deeply"));
}

TEST(Refuses, WhatIsNoProgram) {
  EXPECT_TRUE(has(errors_of(instrument_text("main:9\n| a = 1\n| b = 2\nmain:10\n| flags.low = 3\n| "
                                            "flags.high = 4\nmain:11\n| flags.low = 5\nmain:12\n")),
                  "1:1: this cannot be parsed"));
}

TEST(Refuses, AHalfFile) {
  EXPECT_NE(errors_of(instrument_text("int main() {\n  return 0;\n")), "");
}

TEST(Warns, ThatACoroutineIsNotStepped) {
  const Instrumented file = instrument_text("Task f() {\n  co_return 1;\n}\nint main() { f(); }\n");
  EXPECT_TRUE(has(warnings_of(file), "1:1: a coroutine is not stepped")) << warnings_of(file);
  EXPECT_EQ(file.traced_functions, 1);
  EXPECT_EQ(file.untraced_functions, 1);
  EXPECT_TRUE(has(file.text, "\"coroutine\""));
}

TEST(Warns, ThatAFunctionThatDoesNotParseIsNotStepped) {
  const Instrumented file = instrument_text(
      "constexpr int f() {\n  if consteval { return 1; } else { return 2; }\n}\nint main() { f(); }\n");
  EXPECT_EQ(errors_of(file), "");
  EXPECT_TRUE(has(warnings_of(file), "not stepped")) << warnings_of(file);
  EXPECT_EQ(file.traced_functions, 1);
  EXPECT_EQ(file.untraced_functions, 1);
}

TEST(Warns, AboutWhatDoesNotParseOutsideOfFunctions) {
  const Instrumented file = instrument_text(
      "#define MAKE(name, body) int name(int x) { body }\nMAKE(twice, return x * 2;)\nint main() { return "
      "twice(0); }\n");
  EXPECT_EQ(errors_of(file), "");
  EXPECT_TRUE(has(warnings_of(file), "2:1: this cannot be parsed")) << warnings_of(file);
  EXPECT_EQ(file.traced_functions, 1);
}

TEST(IsSilent, AboutMembersThatAreNoFunctions) {
  const Instrumented file = instrument_text(
      "template <class... Fs> struct overloaded : Fs... { using Fs::operator()...; };\nvoid f(const S& s = "
      "{});\n"
      "struct Bits { unsigned a : 3, : 2, b : 4; };\nint main() { return 0; }\n");
  EXPECT_EQ(errors_of(file) + warnings_of(file), "");
  EXPECT_EQ(file.traced_functions, 1);
}

TEST(Comparisons, AreNoTemplates) {
  const Instrumented file = instrument_text(
      "void f() {\n  if (a || found->second < earliest->second) earliest = found;\n  assert(largest.held_out "
      "< "
      "largest.seen);\n}\n");
  EXPECT_TRUE(file.diagnostics.empty()) << errors_of(file) << warnings_of(file);
  EXPECT_TRUE(has(file.text, "LECTERN_ASSERT_COMPARE"));
}

TEST(Links, AreLecternsOwn) {
  const std::string body = "int main() {\n  link(\"https://example.org\", \"label\");\n}\n";
  EXPECT_TRUE(has(body_of(instrument_text("using namespace lectern;\n" + body)), "::lectern::\n#line 3\n"));
  EXPECT_FALSE(has(body_of(instrument_text(body)), "::lectern::\n"));
}

TEST(Warns, AboutMacrosWithoutSemicolon) {
  const Instrumented file = instrument_text("int main() {\n  LOOP(3) { f(); }\n  g();\n}\n");
  EXPECT_TRUE(has(warnings_of(file), "2:3: this macro has no semicolon")) << warnings_of(file);
  EXPECT_FALSE(has(body_of(file), "at(2)")) << "nothing inside of the block is stepped";
}

TEST(Warns, AboutDirectivesOutsideOfFunctions) {
  EXPECT_TRUE(has(warnings_of(instrument_text("// @inspect x\nint x = 1;\n")), "1:4: @inspect is outside"));
}

TEST(IsSilent, AboutDeviceCode) {
  const Instrumented file = instrument_text(
      "__global__ void k(float* p) { p[threadIdx.x] = 1; }\n__host__ __device__ float g() { return 1; }\nint "
      "main() { k<<<1, 2>>>(nullptr); }\n",
      false, "test.cu");
  EXPECT_TRUE(file.diagnostics.empty()) << errors_of(file) << warnings_of(file);
  EXPECT_EQ(file.traced_functions, 1);
  EXPECT_EQ(file.untraced_functions, 2);
  EXPECT_TRUE(has(file.text, "\"device code\""));
}

TEST(Directives, ErrorsStandAtTheDirective) {
  EXPECT_EQ(errors_of(instrument_text("int main() {\n  int x = 1;  // @inspct x\n}\n")),
            "2:18: @inspct is no directive; write @inspect, or leave out the @\n");
  EXPECT_TRUE(has(errors_of(instrument_text("int main() {\n  int x = 1;\n  // @inspect x\n}\n")),
                  "3:6: no statement follows"));
}

TEST(Diagnostics, NameTheFile) {
  const Instrumented file = instrument_text("int main() {\n  // @hide\n}\n");
  ASSERT_EQ(file.diagnostics.size(), 1U);
  EXPECT_EQ(to_string(file.diagnostics[0].place), "/lecture/test.cpp:2:6");
}

}  // namespace
}  // namespace lectern
