// Directives that concern a statement or a definition with all that is in it.

#include <gtest/gtest.h>

#include "instrument/instrumented.h"

namespace lectern {
namespace {

Instrumented marked(const std::string& lines) {
  return instrument_text("int f(int n) {\n" + lines + "  return n;\n}\n");
}

/// Lines of the statements that are steps, with "!" when they are stepped over.
std::string steps(const Instrumented& file) {
  EXPECT_EQ(errors_of(file) + warnings_of(file), "");
  std::string list;
  const std::size_t begin = file.text.find("Site sites[]");
  for (std::size_t at = file.text.find("\n{", begin); at != std::string::npos;
       at = file.text.find("\n{", at + 1)) {
    const std::string row = file.text.substr(at + 2, file.text.find('\n', at + 1) - at - 2);
    const std::size_t span = row.find('{');
    if (span == std::string::npos) break;
    list += (list.empty() ? "" : " ") + row.substr(span + 1, row.find(',', span) - span - 1);
    if (has(row, ", true, nullptr")) list += "!";
  }
  return list;
}

TEST(StepOver, ALoopIsOneStep) {
  for (const char* loop :
       {"  for (int i = 0; i < n; ++i) {  // @stepover\n    g([] { h(); });\n  }\n",
        "  while (g()) {  // @stepover\n    n = 1;\n  }\n",
        "  do {  // @stepover\n    n = 1;\n  } while (g());\n",
        "  for (int i = 0;  // @stepover\n       i < n; ++i) n = 1;\n",
        "  for (int i = 0; i < n; ++i)  // @stepover\n    n = 1;\n",
        "  if (n) {  // @stepover\n    n = 1;\n  } else if (g()) {\n    n = 2;\n  }\n",
        "  switch (n) {  // @stepover\n    case 1: n = 2;\n  }\n",
        "  try {  // @stepover\n    g();\n  } catch (...) {\n    h();\n  }\n",
        "  {  // @stepover\n    g();\n  }\n", "  for (int i : g())\n  {  // @stepover\n    h();\n  }\n",
        "  while (g()) {\n    n = 1;\n  }  // @stepover\n"})
    EXPECT_EQ(steps(marked(loop)).substr(0, 3), "2! ") << loop;
}

TEST(StepOver, OnALineBefore) {
  EXPECT_EQ(steps(marked("  // @stepover\n  for (;;) {\n    g();\n  }\n")), "3! 6");
  EXPECT_EQ(
      steps(marked("  // The inner loop.\n  // @stepover\n  // It ends.\n\n  while (n) {\n    g();\n  }\n")),
      "6! 9");
  EXPECT_EQ(steps(marked("again:\n  // @stepover\n  while (n) g();\n")), "4! 5");
  EXPECT_EQ(steps(marked("  switch (n) {\n    case 1:\n      // @stepover\n      for (;;) g();\n  }\n")),
            "2 5! 7");
}

TEST(StepOver, TheInnerOfTwo) {
  EXPECT_EQ(steps(marked("  for (;;) {\n    for (;;) {  // @stepover\n      g();\n    }\n    h();\n  }\n")),
            "2 3! 6 8");
  EXPECT_EQ(steps(marked("  for (;;)\n    while (n)\n      g();  // @stepover\n")), "2 3 4! 5");
}

TEST(StepOver, OfWhatIsInTheHeaderOfAnother) {
  EXPECT_EQ(steps(marked("  for (;;)\n    for (;;)  // @stepover\n      g();\n")), "2 3! 5");
  EXPECT_EQ(steps(marked("  for (;;) for (;;)  // @stepover\n      g();\n")), "2 2! 4");
  EXPECT_EQ(steps(marked("  if (n)\n    while (n)  // @stepover\n      g();\n")), "2 3! 5");
  EXPECT_EQ(steps(marked("  while (n)\n    if (n)  // @stepover\n      g();\n")), "2 3! 5");
  EXPECT_EQ(steps(marked("  if (n)\n    g();\n  else\n    do  // @stepover\n      g();\n    while (n);\n")),
            "2 3 5! 8");
  EXPECT_EQ(steps(marked("  for (;;) [[likely]] for (;;)  // @stepover\n    g();\n")), "2 2! 4");
}

TEST(StepOver, OnALineBeforeWhatAnotherControls) {
  EXPECT_EQ(steps(marked("  for (;;)\n    // @stepover\n    for (;;)\n      g();\n")), "2 4! 6");
  EXPECT_EQ(steps(marked("  if (n)\n    // @stepover\n    g();\n")), "2 4! 5");
  EXPECT_EQ(steps(marked("  if (n)\n    h();\n  else\n    // @stepover\n    g();\n")), "2 3 6! 7");
  EXPECT_EQ(steps(marked("  for (;;)\n  // @stepover\n  {\n    g();\n  }\n")), "2! 7")
      << "braces are its own";
}

TEST(StepOver, OfTheElseAndTheHandler) {
  EXPECT_EQ(steps(marked("  if (n) {\n    g();\n  } else {  // @stepover\n    h();\n  }\n")), "2 3 4! 7");
  EXPECT_EQ(steps(marked("  try {\n    g();\n  } catch (...) {  // @stepover\n    h();\n  }\n")), "3 4! 7");
}

TEST(StepOver, HooksInsideKeepTheirNames) {
  const std::string text = body_of(marked("  for (;;) {  // @stepover\n    inspect(n);\n  }\n"));
  EXPECT_TRUE(has(text, "::lectern::named(\"n\"), ")) << text;
}

TEST(StepOver, WhatIsInsideHasNoDirectives) {
  const Instrumented file = marked(
      "  for (;;) {  // @stepover @inspect n\n    n = 1;  // @inspect n\n    // @clear n\n    n = 2;\n  }\n");
  EXPECT_EQ(
      warnings_of(file),
      "3:16: @inspect in what line 2 steps over has no effect; write it on that line, or remove it, or "
      "the @stepover there\n"
      "4:8: @clear in what line 2 steps over has no effect; write it on that line, or remove it, or the "
      "@stepover there\n");
  EXPECT_TRUE(has(body_of(file), "}/*lectern:")) << "inspected after the loop";
}

TEST(StepOver, AFunctionHasAFrameAndNoSteps) {
  for (const char* function :
       {"int g(int n) {  // @stepover\n  return h(n);\n}\n", "// @stepover\nint g(int n) { return h(n); }\n",
        "int g(int n) { return h(n); }  // @stepover\n",
        "// @stepover\ntemplate <typename T>\nint g(T n) { return h(n); }\n",
        "template <typename T>  // @stepover\nint g(T n) { return h(n); }\n",
        "struct S {\n  // @stepover\n  S() : n(h()) { h(); }\n  int n;\n};\n",
        "auto g = [](int n) {  // @stepover\n  return h(n);\n};\n",
        "// @stepover\nauto g = [](int n) {\n  return [&] { return h(n); };\n};\n",
        "extern \"C\" {\n// @stepover\nint g(int n) { return h(n); }\n}\n"}) {
    const Instrumented file = instrument_text(function);
    EXPECT_EQ(errors_of(file) + warnings_of(file), "") << function;
    EXPECT_TRUE(has(file.text, ", \"@stepover\", true}")) << function << file.text;
    EXPECT_TRUE(has(file.text, "Frame lectern_frame_0")) << function << file.text;
    EXPECT_FALSE(has(file.text, "lectern_frame_0.at(")) << function << file.text;
    EXPECT_EQ(file.traced_functions, 0) << function;
    EXPECT_EQ(strip_probes(file.text), function);
  }
}

TEST(StepOver, MainIsNot) {
  EXPECT_EQ(
      errors_of(instrument_text("int main() {  // @stepover\n  g();\n}\n")),
      "1:18: @stepover on main leaves nothing to step; write it on other functions, or on statements\n");
}

TEST(StepOver, AConstructorBeginsWithItsBody) {
  const auto warnings = [](const std::string& initializers) {
    return warnings_of(instrument_text("int make(int n) { return n; }\nstruct S {\n  S() : " + initializers +
                                       " {  // @stepover\n    make(2);\n  }\n};\n"));
  };
  for (const char* initializers : {"n(make(1))", "a(1), n{1 + T::make(1)}", "n(a.make())"}) {
    const std::string said = warnings(initializers);
    EXPECT_TRUE(has(said, "@stepover on a constructor begins with its body, so what its member")) << said;
  }
  EXPECT_EQ(warnings("n(1), m(std::move(n))"), "");
}

TEST(StepOver, DirectivesInAFunctionThatIsSteppedOverHaveNoEffect) {
  EXPECT_EQ(
      warnings_of(instrument_text("// @stepover\nint g(int n) {\n  n = 1;  // @inspect n\n  return n;\n}\n")),
      "3:14: @inspect in g, which is stepped over, has no effect; remove it, or the @stepover\n");
}

TEST(Steps, OfEveryLoop) {
  for (const char* loop : {"  for (int i = 0; i < n; ++i) {  // @steps first 3 last 1\n    g();\n  }\n",
                           "  // @steps first 3 last 1\n  for (int i : g()) h();\n",
                           "  // @steps first 3 last 1\n\n  // It ends.\n  while (n) --n;\n",
                           "  do {  // @steps first 3 last 1\n    g();\n  } while (n);\n",
                           "  do --n;  // It ends.\n  while (n);  // @steps first 3 last 1\n"}) {
    const Instrumented file = marked(loop);
    EXPECT_EQ(errors_of(file) + warnings_of(file), "") << loop;
    EXPECT_TRUE(has(file.text, R"(SiteKind::loop, false, false, "{\"body\":1}", {3, 1, 2}})"))
        << loop << file.text;
    EXPECT_TRUE(has(file.text, "lectern_frame_0.loop(0);")) << loop;
    EXPECT_TRUE(has(file.text, "lectern_frame_0.pass(0);")) << loop;
  }
}

TEST(Steps, OfALoopInTheHeaderOfAnother) {
  for (const char* loops : {"  for (;;)\n    for (;;)  // @steps first 3\n      g();\n",
                            "  for (;;) while (n)  // @steps first 3\n      g();\n",
                            "  if (n)\n    for (;;)  // @steps first 3\n      g();\n",
                            "  if (n)\n    // @steps first 3\n    for (;;) g();\n"}) {
    const Instrumented file = marked(loops);
    EXPECT_EQ(errors_of(file) + warnings_of(file), "") << loops;
    EXPECT_TRUE(has(body_of(file), "lectern_frame_0.loop(1);")) << loops;
    EXPECT_FALSE(has(body_of(file), "lectern_frame_0.loop(0);")) << loops;
  }
}

TEST(Steps, WhereNoLoopIs) {
  const std::string usage =
      "@steps on what is no loop; write it on the header of a for, while or do loop, or on a line of its own "
      "before it\n";
  EXPECT_EQ(errors_of(marked("  n = 1;  // @steps first 3\n")), "2:14: " + usage);
  EXPECT_EQ(errors_of(marked("  // @steps first 3\n  n = 1;\n")), "2:6: " + usage);
  EXPECT_EQ(errors_of(marked("  if (n) {  // @steps first 3\n    g();\n  }\n")), "2:16: " + usage);
  EXPECT_EQ(errors_of(instrument_text("void f() {  // @steps first 3\n  g();\n}\n")), "1:16: " + usage);
  EXPECT_EQ(
      errors_of(marked("  {\n    g();\n    // @steps first 3\n  }\n")),
      "4:8: no loop follows this @steps in its block; write it on the header of its loop, or on a line of "
      "its own before it\n");
}

TEST(Steps, OfALoopThatIsSteppedOver) {
  EXPECT_EQ(
      errors_of(marked("  for (;;) {  // @stepover @steps first 3\n    g();\n  }\n")),
      "2:28: line 2 steps over this loop, so @steps has no effect; remove it, or the @stepover there\n");
  EXPECT_EQ(
      errors_of(marked("  if (n) {  // @stepover\n    for (;;) g();  // @steps last 1\n  }\n")),
      "3:23: line 2 steps over this loop, so @steps has no effect; remove it, or the @stepover there\n");
  EXPECT_EQ(errors_of(instrument_text("// @hide\nvoid f() {\n  for (;;) g();  // @steps last 1\n}\n")),
            "3:21: line 2 steps over this loop, so @steps has no effect; remove it, or the @hide there\n");
  EXPECT_EQ(errors_of(marked("#pragma omp parallel for\n  for (;;) g();  // @steps last 1\n")),
            "3:21: the pragma makes this loop one step, so @steps has no effect; remove it\n");
  EXPECT_EQ(errors_of(instrument_text(
                "consteval int f(int n) {\n  while (n) --n;  // @steps last 1\n  return n;\n}\n")),
            "2:22: this loop is not stepped, so @steps has no effect; remove it\n");
}

/// The code that a directive's expression is placed after, up to the next probe.
TEST(LinesBefore, BelongToTheNextStatement) {
  const auto shown_at = [](const std::string& lines) {
    const Instrumented file = marked(lines);
    EXPECT_EQ(errors_of(file) + warnings_of(file), "") << lines;
    const std::string text = body_of(file);
    const std::size_t at = text.find("inspecting()");
    if (at == std::string::npos) return std::string("nowhere");
    const std::size_t marker = text.rfind("/*lectern:", at);
    const std::size_t begin = text.find_last_of("\n", marker) + 1;
    return text.substr(begin, marker - begin);
  };
  EXPECT_EQ(shown_at("  // @inspect n\n  n = g(1,\n        2,\n        3,\n        4,\n        5);\n"),
            "        5);");
  EXPECT_EQ(shown_at("  // @inspect n\n  // @volatile n\n  /* @tol rel=1 n */\n\n  n = g(\n      1);\n"),
            "      1);");
  EXPECT_EQ(shown_at("  // @inspect more\n  const int more =\n      g();\n"), "      g();");
  EXPECT_EQ(shown_at("  // @inspect n\n  return g(\n      n);\n"), "  ");
  EXPECT_EQ(shown_at("  // @inspect n\n  if (n > 1 &&\n      n < 3) {\n    g();\n  }\n"), "      n < 3) {");
  EXPECT_EQ(shown_at("  // @inspect i\n  for (int i = 0;\n       i < n; ++i) {\n    g();\n  }\n"),
            "              ++i) {");
  EXPECT_EQ(shown_at("  switch (n) {\n    case 1:\n      // @inspect n\n      n = g(\n          2);\n  }\n"),
            "          2);");
  EXPECT_EQ(shown_at("  switch (n) {\n    // @inspect n\n    case 1:\n      n = g(\n          2);\n  }\n"),
            "          2);");
  EXPECT_EQ(shown_at("  if (n) {\n    g();\n  } else {\n    // @inspect n\n    n = g(\n        1);\n  }\n"),
            "        1);");
}

TEST(LinesBefore, NeedAStatement) {
  EXPECT_EQ(errors_of(marked("  {\n    g();\n    // @inspect n\n  }\n")),
            "4:8: no statement follows this directive in its block; write it on the line of its statement\n");
  EXPECT_EQ(errors_of(instrument_text("void f() {\n  g();\n  // @stepover\n}\n")),
            "3:6: no statement follows this directive in its block; write it on the line of its statement\n");
}

/// The first and last lines that are hidden.
std::string hidden_lines(const std::string& source) {
  const Instrumented file = instrument_text(source);
  EXPECT_EQ(errors_of(file) + warnings_of(file), "") << source;
  const std::size_t begin = file.text.find("HiddenLines hidden[] = {\n");
  if (begin == std::string::npos) return "";
  const std::size_t first = file.text.find('\n', begin) + 1;
  return file.text.substr(first, file.text.find("};", first) - first);
}

TEST(Hide, ADefinitionWithItsComments) {
  EXPECT_EQ(hidden_lines("int a;\n\n// Draws.\n// @hide\nvoid f() {\n  g();\n}\nint b;\n"), "{3, 7},\n");
  EXPECT_EQ(hidden_lines("void f() {  // @hide\n  g();\n}\n"), "{1, 3},\n");
  EXPECT_EQ(hidden_lines("template <class T>\nstruct S {  // @hide\n  void f() { g(); }\n};\n"), "{1, 4},\n");
  EXPECT_EQ(hidden_lines("// @hide\nenum class Colour { red, green };\n\nint b;\n"), "{1, 2},\n");
  EXPECT_EQ(hidden_lines("int a;  // @hide\nint b;\n"), "{1, 1},\n");
  EXPECT_EQ(hidden_lines("namespace n {  // @hide\nvoid f() {}\n}\nvoid g() { h(); }\n"), "{1, 3},\n");
  EXPECT_EQ(hidden_lines("void f() {\n  auto g = [] {  // @hide\n    h();\n  };\n}\n"), "{2, 4},\n");
  EXPECT_EQ(hidden_lines("void f() {\n  g();  // @hide\n}\n"), "") << "a statement is hidden by itself";
}

TEST(Hide, AFile) {
  EXPECT_EQ(hidden_lines("// Tools.  @hide file\n#include <a>\nvoid f() {\n  g();\n}\n"), "{1, 5},\n");
  EXPECT_EQ(hidden_lines("#ifndef A\n#define A\n#include <a>\n// @hide file\nvoid f() { g(); }\n#endif\n"),
            "{1, 6},\n");
  EXPECT_EQ(hidden_lines("// @hide file handling below\nvoid f() {}\nint b;\n"), "{1, 2},\n") << "prose";
  const std::string late = errors_of(instrument_text("int a;\n// @hide file\nvoid f() {}\n"));
  EXPECT_TRUE(has(late, "2:4: @hide file stands after a declaration; write it")) << late;
  const std::string inside = errors_of(instrument_text("void f() {\n  g();  // @hide file\n}\n"));
  EXPECT_TRUE(has(inside, "2:12: @hide file stands after a declaration")) << inside;
}

TEST(Hide, NotMain) {
  EXPECT_TRUE(
      has(errors_of(instrument_text("// @hide file\nint main() { f(); }\n")), "1:4: @hide on main leaves"));
}

}  // namespace
}  // namespace lectern
