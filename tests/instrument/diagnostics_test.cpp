#include <algorithm>

#include <gtest/gtest.h>

#include "instrument/instrumented.h"

namespace lectern {
namespace {

TEST(Refuses, WhatHasProbesAlready) {
  const Instrumented once = instrument_text("int main() { return 0; }\n");
  EXPECT_EQ(errors_of(once), "");
  EXPECT_TRUE(has(errors_of(instrument_text(once.text)), "already contains probes"));
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

TEST(Refuses, BracketsHiddenInMacrosAtTheMacro) {
  const std::string said =
      errors_of(instrument_text("#define BEGIN {\nint f() {\n  int n = 1;\n  if (n) BEGIN\n  return n;\n  "
                                "}\n}\nint main() { return f(); }\n"));
  EXPECT_TRUE(
      has(said, "4:10: BEGIN stands for a bracket without its counterpart, so the file cannot be stepped"))
      << said;
}

TEST(Refuses, Modules) {
  EXPECT_TRUE(has(errors_of(instrument_text("import std;\nint main() {}\n")), "1:1: "));
}

TEST(Refuses, LineDirectives) {
  for (const char* directive : {"#line 50", "# line 50", "#  50 \"other.cpp\""}) {
    const std::string source =
        "int main() {\n  switch (1) case 1: f(\n" + std::string(directive) + "\n);\n}\n";
    EXPECT_TRUE(has(errors_of(instrument_text(source)), "3:1: a #line directive")) << directive;
  }
  EXPECT_TRUE(
      has(errors_of(instrument_text("int main() {\n#line 50\n  return 0;\n}\n")), "2:1: a #line directive"));
}

TEST(Refuses, BottomlessNesting) {
  const std::string deep(5000, '(');
  EXPECT_TRUE(has(errors_of(instrument_text("int x = " + deep + "1" + std::string(5000, ')') + ";\n")),
                  "nested too deeply"));
  std::string sum = "int f() { return 0; }\n\nint x = 1";
  for (int i = 0; i < 5000; ++i) sum += " + 1";
  const std::string said = errors_of(instrument_text(sum + ";\n"));
  EXPECT_TRUE(said.starts_with("3:9: this is nested too deeply")) << said;
  EXPECT_TRUE(has(said, "; divide it into several statements")) << said;
}

TEST(Refuses, WhatIsNoProgram) {
  EXPECT_TRUE(has(errors_of(instrument_text("main:9\n| a = 1\n| b = 2\nmain:10\n| flags.low = 3\n| "
                                            "flags.high = 4\nmain:11\n| flags.low = 5\nmain:12\n")),
                  "1:1: this cannot be parsed"));
}

TEST(Refuses, AHalfFile) {
  EXPECT_NE(errors_of(instrument_text("int main() {\n  return 0;\n")), "");
}

std::string lecture_with(const std::string& front) {
  return "int main() {\n  lecture({" + front + "});\n}\n";
}

TEST(Processes, AreReadAsALiteral) {
  const auto text_of = [](const std::string& front) { return instrument_text(lecture_with(front)).text; };
  EXPECT_TRUE(has(text_of(".title = \"T\", .processes = 4"), ", nullptr, 0, false, 4};"));
  EXPECT_TRUE(has(text_of(".processes = 1"), ", nullptr, 0, false, 1};"));
  EXPECT_FALSE(has(text_of(".title = \"T\""), ", nullptr, 0, nullptr, 0"));
  EXPECT_TRUE(
      has(instrument_text("void f(int);\nint main() {\n  other({.processes = x});\n}\n").text, "source{"))
      << "which is no lecture's";
}

TEST(Processes, MustBeANumberFrom1To64) {
  for (const char* count : {"0", "65", "-2", "two", "2 + 2", "0x4", "4.", "99999999999"}) {
    const std::string errors =
        errors_of(instrument_text(lecture_with(std::string(".title = \"T\", .processes = ") + count)));
    EXPECT_TRUE(has(errors, "2:39: .processes is read before the lecture runs; write a number from 1 to 64"))
        << count << ": " << errors;
  }
}

TEST(Warns, OfAFileThatIsNotUtf8) {
  const Instrumented file = instrument_text(
      "// \xC3\xA9\nint main() {\n  const char* cafe = \"caf\xE9\";\n  return *cafe; // \xE9\n}\n");
  EXPECT_EQ(errors_of(file), "");
  EXPECT_EQ(warnings_of(file),
            "3:26: byte E9 is not UTF-8, so the page shows the file as Latin-1; save it as UTF-8\n");
  EXPECT_EQ(warnings_of(instrument_text("// \xC3\xA9\nint main() {}\n")), "");
}

TEST(Warns, ThatACoroutineIsNotStepped) {
  const Instrumented file = instrument_text("Task f() {\n  co_return 1;\n}\nint main() { f(); }\n");
  EXPECT_TRUE(has(warnings_of(file), "1:1: a coroutine is not stepped")) << warnings_of(file);
  EXPECT_EQ(file.traced_functions, 1);
  EXPECT_EQ(file.untraced_functions, 1);
  EXPECT_TRUE(has(file.text, "\"coroutine\""));
}

/// What the tool says about `statements` in a function, between statements that it steps.
Instrumented among_others(const std::string& statements) {
  return instrument_text("int f(int n) {\n  before();\n" + statements +
                         "  after();\n  return n;\n}\nint main() { return f(1); }\n");
}

TEST(Refuses, ADirectiveBeforeAnEmptyStatement) {
  const std::string said = errors_of(
      instrument_text("void f(int n) {\n  switch (n) {\n    case 1:\n      g();\n      // @inspect n\n"
                      "      [[fallthrough]];\n    default:;\n  }\n}\n"));
  EXPECT_TRUE(has(said,
                  "5:10: what follows this directive does nothing and is no step; write it on the line of "
                  "the statement before"))
      << said;
}

TEST(Recovery, StatementsAreOneStep) {
  for (const char* statement :
       {"switch (n) case 1: g();", "switch (n)\n  default:\n  g();", "g(a < b, c > d);",
        "int x = 1 +\n#if A\n 2;\n#else\n 3;\n#endif", "int x[] = {\n#if A\n 1,\n#endif\n};",
        "for (int i; int r = i;) g();", "return n ? n : throw n;", "int x = n LACKS_SEMICOLON(1);",
        "do switch (n) case 1: g(); while (h());", "if (n) switch (n) case 1: g(); else h();",
        "auto l = [] { return 1; } SUFFIX 2;", "#if A\n  switch (n) case 1: g();\n#endif",
        "again: switch (n) case 1: g();", "struct { int x; } s = {1} SUFFIX;", "S s{1} SUFFIX 2;"}) {
    const Instrumented file = among_others(std::string("  ") + statement + "\n");
    EXPECT_EQ(errors_of(file), "") << statement;
    const std::string warnings = warnings_of(file);
    EXPECT_TRUE(has(warnings, "one step and nothing inside is stepped")) << statement << "\n" << warnings;
    EXPECT_EQ(std::count(warnings.begin(), warnings.end(), '\n'), 1) << statement << "\n" << warnings;
    EXPECT_EQ(file.traced_functions, 2) << statement;
    const std::string body = body_of(file);
    EXPECT_TRUE(has(body, "lectern_frame_0.at(0);\n#line 2")) << statement << body;
    EXPECT_TRUE(has(body, "lectern_frame_0.at(3);\n#line")) << statement << body;
    EXPECT_FALSE(has(body, "lectern_frame_0.at(4);\n#line")) << "a step inside of " << statement << body;
  }
}

TEST(Recovery, StatementsAreNamedByTheirLines) {
  EXPECT_TRUE(has(warnings_of(among_others("  int x = 1 +\n#if A\n    2;\n#else\n    3;\n#endif\n")),
                  "4:1: this cannot be parsed, so lines 3 to 8 are one step"));
  EXPECT_TRUE(has(warnings_of(among_others("  g();\n  switch (n) case 1: g();\n")), "so line 4 is one step"));
}

TEST(Recovery, TheSmallestBlockIsFound) {
  const Instrumented file = among_others(
      "  if (n) {\n    g();\n    h([&] {\n      k();\n      switch (n) case 1: g();\n      k();\n    });\n"
      "    g();\n  }\n");
  EXPECT_TRUE(has(warnings_of(file), "line 7 is one step")) << warnings_of(file);
  EXPECT_EQ(file.traced_functions, 3);
  EXPECT_TRUE(has(body_of(file), "lectern_frame_1.at(6);")) << body_of(file);
}

TEST(Recovery, AFunctionWhereNoStatementIsSure) {
  for (const char* statements : {"  n += OPEN 1);\n",                   // a bracket in a macro
                                 "  switch (n) case 1: again: g();\n",  // a goto may jump into it
                                 "  switch (n)\n#define G g();\n    case 1: G\n  ;\n"}) {
    const Instrumented file = among_others(statements);
    EXPECT_EQ(errors_of(file), "") << statements;
    EXPECT_TRUE(has(warnings_of(file), "lines 1 to")) << statements << warnings_of(file);
    EXPECT_TRUE(warnings_of(file).starts_with("3:")) << "at the construct: " << warnings_of(file);
    EXPECT_TRUE(has(warnings_of(file), "is not stepped")) << statements << warnings_of(file);
    EXPECT_EQ(file.traced_functions, 1) << statements;
    EXPECT_EQ(file.untraced_functions, 1) << statements;
  }
}

TEST(Recovery, LabelsOfASwitchAreNotHidden) {
  const Instrumented file = among_others(
      "  switch (n) {\n    case 1:\n      if (n) case 2: n = n ? 1 : throw n;\n      break;\n    default:\n  "
      "    "
      "g();\n  }\n");
  EXPECT_EQ(errors_of(file), "");
  EXPECT_TRUE(has(warnings_of(file), "lines 3 to 9 are one step")) << warnings_of(file);
}

TEST(Recovery, ACoroutineStaysOne) {
  const Instrumented file =
      instrument_text("Task f(int n) {\n  switch (n) case 1: co_await g();\n}\nint main() { f(1); }\n");
  EXPECT_EQ(errors_of(file), "");
  EXPECT_EQ(file.traced_functions, 1);
  EXPECT_EQ(file.untraced_functions, 1);
}

TEST(Recovery, DirectivesInsideBelongToTheStep) {
  const Instrumented file = among_others(
      "  switch (n)  // @inspect n\n    case 1:\n      g();\n  switch (n) default: h();  // @inspect m\n");
  EXPECT_EQ(errors_of(file), "");
  EXPECT_TRUE(has(body_of(file), "lectern_frame_0.inspecting().show(\"n\"")) << body_of(file);
  EXPECT_TRUE(has(body_of(file), "lectern_frame_0.inspecting().show(\"m\"")) << body_of(file);
}

TEST(Recovery, ClassesWithSuchMembersSayThatThereAreMore) {
  const Instrumented file = instrument_text(
      "struct P { int x; MEMBER y z; int w; };\nstruct Q { int x; };\nint main() { return 0; }\n");
  EXPECT_EQ(errors_of(file), "");
  EXPECT_TRUE(has(file.text, "LECTERN_FIELD(w) lectern_out.unknown_members(); }; }")) << file.text;
  EXPECT_TRUE(has(file.text, "LECTERN_FIELD(x) }; }")) << file.text;
}

TEST(RareSyntax, AtTheHeadOfAFile) {
  const Instrumented file = instrument_text(
      "\xEF\xBB\xBF#if __has_include(<x>) && \\\r\n    1\r\n#define X\r\n#endif\r\nint main() {\r\n  return "
      "0;\r\n}\r\n");
  EXPECT_TRUE(file.diagnostics.empty()) << errors_of(file) << warnings_of(file);
  EXPECT_EQ(file.traced_functions, 1);
}

TEST(RareSyntax, IsParsedWithoutAWarning) {
  for (const char* statement :
       {"if consteval { g(); } else { h(); }", "if !consteval { g(); }", "if (n) if not consteval { g(); }",
        "switch (n) { case 1 ... 3: g(); case 'a' ... 'z': break; default: h(); }",
        "std::type_index ti = typeid(int);", "g(typeid(unsigned long).name());", "n = va_arg(list, int);",
        "<% g(); %>", "#if __has_include(<x>)\n  g();\n#else\n  h();\n#endif",
        "enum E { a [[deprecated]] = 1, b };", "struct [[nodiscard]] alignas(8) L final {};"}) {
    const Instrumented file = among_others(std::string("  ") + statement + "\n");
    EXPECT_TRUE(file.diagnostics.empty()) << statement << "\n" << errors_of(file) << warnings_of(file);
    EXPECT_EQ(file.traced_functions, 2) << statement;
  }
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
  for (const char* nothing :
       {"struct P { P(int n) : x(n) {} int x; };  // @inspect n\nint f() { return 1; }\n",
        "int f(int n) {\n  return n; }  // @inspect n\n"})
    EXPECT_TRUE(has(warnings_of(instrument_text(nothing)), "@inspect outside of a stepped function"))
        << nothing;
  EXPECT_TRUE(has(warnings_of(instrument_text("// @inspect x\nint x = 1;\n")),
                  "1:4: @inspect outside of a stepped function"));
}

TEST(Warns, AboutMacrosThatBeginBlocks) {
  const Instrumented file =
      instrument_text("int main() {\n  int n = 0;\n  EACH(x, xs) {\n    n += x;  // @inspect n\n  }\n}\n");
  EXPECT_EQ(errors_of(file), "");
  EXPECT_TRUE(has(warnings_of(file), "3:3: this macro and the block after it are one step"))
      << warnings_of(file);
  EXPECT_TRUE(has(body_of(file), ".show(\"n\"")) << body_of(file);
}

TEST(IsSilent, AboutWhatCannotBeParsedButHidesNothing) {
  const Instrumented file = instrument_text(
      "template <class... T>\nstruct Overloaded : T... {\n  using T::operator()...;\n};\n#define COLORS(X) "
      "X(red) "
      "X(green)\nenum class Color {\n#define X(name) name,\n  COLORS(X)\n#undef X\n};\nint main() {}\n");
  EXPECT_TRUE(file.diagnostics.empty()) << errors_of(file) << warnings_of(file);
  EXPECT_FALSE(has(file.text, "unknown_members")) << file.text;
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
            "2:18: unknown directive @inspct; write @inspect, or remove the @\n");
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
