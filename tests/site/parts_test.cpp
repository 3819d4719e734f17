#include "site/parts.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "site/trace_builder.h"

namespace lectern {
namespace {

using test::TraceBuilder;

/// "12-15" of what was entered, "(1-3)" of what was not, with the source's number where there are several.
std::string order(const Trace& trace) {
  std::string out;
  for (const PagePart& part : page_parts(trace)) {
    std::string lines = fmt::format("{}-{}", part.first, part.last);
    if (trace.sources.size() > 1) lines = fmt::format("{}:{}", part.source, lines);
    out += (out.empty() ? "" : " ") + (part.entered ? lines : "(" + lines + ")");
  }
  return out;
}

/// A source whose statements `x1;`, `x2;`, … ran in this order.
Trace run(const std::string& source, int statements, const std::string& language = "cpp") {
  TraceBuilder builder(source, language);
  builder.trace.functions[0].span = {};
  for (int i = 1; i <= statements; ++i) builder.step(builder.site(fmt::format("x{};", i)));
  return builder.trace;
}

TEST(Parts, FunctionsStandWhereTheRunComesToThem) {
  EXPECT_EQ(order(run("void c() { x3; }\nvoid b() { x2; }\nint main() { x1; }\n", 3)), "3-3 2-2 1-1");
  EXPECT_EQ(order(run("int main() { x1; }\nvoid b() { x2; }\nvoid c() { x3; }\n", 3)), "1-1 2-2 3-3");
}

TEST(Parts, EveryLineIsInOnePart) {
  const std::string source =
      "// licence\n\n#include <a>\n\nnamespace {\n\nstruct S {\n  int a;\n  int b;\n};\n\n"
      "/// doc\ntemplate <typename T>\nT f(T t) {\n  x2;\n}\n\n}  // namespace\n\nint main() { x1; }\n\n// "
      "end\n";
  const Trace trace = run(source, 2);
  std::vector<int> times(trace.sources[0].lines.size() + 1);
  for (const PagePart& part : page_parts(trace)) {
    for (int line = part.first; line <= part.last; ++line) ++times.at(static_cast<std::size_t>(line));
    EXPECT_LE(part.first, part.head);
    EXPECT_LE(part.head, part.head_end);
    EXPECT_LE(part.head_end, part.last);
  }
  for (std::size_t line = 1; line < times.size(); ++line) EXPECT_EQ(times[line], 1) << line;
  EXPECT_EQ(order(trace), "(1-6) 19-20 (7-10) 11-18 (21-22)");
}

TEST(Parts, CommentsAboveAndTheEndOfItsNamespaceGoWithADefinition) {
  EXPECT_EQ(order(run("namespace a {\n/* of\n * f */\nvoid f() { x2; }\n\n}\nint main() { x1; }\n", 2)),
            "(1-1) 7-7 2-6");
  EXPECT_EQ(order(run("#ifdef A\nvoid f() { x2; }\n#endif\nextern \"C\" {\nint main() { x1; }\n}\n", 2)),
            "(1-1) (4-4) 5-6 2-3")
      << "what opens the file comes with its first";
}

TEST(Parts, AClassIsWholeWhereTheRunFirstEntersIt) {
  const std::string source =
      "class A {\n  int a_;\n public:\n  void f() { x2; }\n  void g() { int never; }\n  int b_;\n};\n"
      "int main() {\n  x1;\n}\nvoid A::h() {\n  x3;\n}\n";
  EXPECT_EQ(order(run(source, 3)), "8-10 1-7 11-13");
}

TEST(Parts, WhatWasNeverEnteredStandsBeforeWhatFollowsOrAtTheEnd) {
  const std::string declared = "struct S {\n  int a;\n  int b;\n};\n";
  EXPECT_EQ(order(run("int main() { x1; }\n" + declared + "void f() { x2; }\n" + declared, 2)),
            "1-1 (2-5) 6-6 (7-10)");
  EXPECT_EQ(order(run("#include <a>\nusing b;\n" + declared + "void f() { x2; }\n" + declared +
                          "int main() { x1; }\n",
                      2)),
            "(1-2) 12-12 (8-11) (3-6) 7-7")
      << "nothing but the head of the file stands above the introduction";
}

TEST(Parts, ShortOnesAreGrouped) {
  EXPECT_EQ(order(run("int a();\nint b() { return 1; }\nint c;\nint main() { x1; }\n", 1)), "(1-3) 4-4");
}

TEST(Parts, AFoldIsNamedByItsFirstLineOfCode) {
  const Trace trace = run("// why\ntemplate <typename T>\nstruct A {\n  T a;\n};\nint main() { x1; }\n", 1);
  const std::vector<PagePart> parts = page_parts(trace);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].head, 2);
  EXPECT_EQ(parts[1].head_end, 3);
}

TEST(Parts, OfPythonTheDecoratorsBelongToTheDefinition) {
  const std::string source =
      "import a\nimport b\n\n# Of shapes\n@dataclass\nclass Shape:\n    rows: int\n    columns: int\n\n"
      "def helper():\n    x2;\n\ndef main():\n    x1;\n\nif __name__ == \"__main__\":\n    main()\n";
  EXPECT_EQ(order(run(source, 2, "python")), "(1-3) 12-14 (4-8) 9-11 (15-17)");
}

TEST(Parts, FilesAreInterleavedAndThoseNeverEnteredComeLast) {
  Trace trace = run("void f() { x2; }\nint main() { x1; }\n", 2);
  trace.sources.push_back({"never.h", "cpp", {"struct N {", "  int n;", "};"}});
  trace.sources.push_back({"between.h", "cpp", {"void g() { y; }"}});
  trace.functions.push_back({"g", 2, {1, 1, 1, 16}});
  Site site;
  site.function = 1;
  site.span = {1, 12, 1, 14};
  trace.sites.push_back(site);
  Step step;
  step.site = 2;
  trace.steps.insert(trace.steps.begin() + 1, step);
  EXPECT_EQ(order(trace), "0:2-2 2:1-1 0:1-1 (1:1-3)");
}

TEST(Parts, WhatMainCallsStandsBetweenItsCalls) {
  // The numbers are those of the statements in the order of the run.
  Trace trace = run(
      "int main() {\n  x1;\n  x2;\n\n  // g\n  x4;\n  x6;\n}\nvoid f() {\n  x3;\n}\nvoid g() {\n  x5;\n}\n",
      6);
  trace.functions[0].span = {1, 1, 8, 2};
  trace.functions.push_back({"f", 0, {9, 1, 11, 2}});
  trace.functions.push_back({"g", 0, {12, 1, 14, 2}});
  trace.sites[2].function = 1;
  trace.sites[4].function = 2;
  EXPECT_EQ(order(trace), "1-8 9-11 12-14") << "nothing says that main calls them";
  trace.stacks.push_back({.function = 1, .parent = 0, .call = 1, .depth = 2});
  trace.stacks.push_back({.function = 2, .parent = 0, .call = 3, .depth = 2});
  trace.steps[2].stack = 1;
  trace.steps[4].stack = 2;
  EXPECT_EQ(order(trace), "1-2 3-3 9-11 4-6 12-14 7-8");
  // A second call of what stands on the page already divides nothing.
  trace.stacks[2].function = 1;
  trace.steps[4].stack = 2;
  trace.sites[4] = trace.sites[2];
  EXPECT_EQ(order(trace), "1-2 3-3 9-11 4-8 (12-14)");
}

TEST(Parts, CallsInLoopsOrBesideOtherCodeDivideNothing) {
  Trace trace = run("int main() {\n  for (;;) {\n    x1;\n  }\n  x3; x4;\n}\nvoid f() { x2; }\n", 4);
  trace.functions[0].span = {1, 1, 6, 2};
  trace.functions.push_back({"f", 0, {7, 1, 7, 17}});
  Site loop = trace.sites[0];
  loop.span = {2, 3, 4, 4};
  trace.sites.push_back(loop);
  trace.sites[1].function = 1;
  trace.stacks.push_back({.function = 1, .parent = 0, .call = 0, .depth = 2});
  trace.stacks.push_back({.function = 1, .parent = 0, .call = 2, .depth = 2});
  trace.steps[1].stack = 1;
  EXPECT_EQ(order(trace), "1-6 7-7");
}

TEST(Parts, WithoutStepsFilesAreAsTheyAre) {
  EXPECT_EQ(order(run("#include <a>\nvoid f() {\n}\nint main() {\n}\n", 0)), "1-1 2-3 4-5");
}

TEST(Parts, DivideAnyText) {
  for (const char* language : {"cpp", "cuda", "python", "no-such-language", ""}) {
    for (const char* source : {"", "\n", "\n\n", "}\n}\n", "int f( {\n", "namespace {", "#if 1\n\n", "/*"}) {
      std::size_t lines = 0;
      const Trace trace = run(source, 0, language);
      for (const PagePart& part : page_parts(trace))
        lines += static_cast<std::size_t>(part.last - part.first + 1);
      const bool blank = std::string_view(source).find_first_not_of('\n') == std::string_view::npos;
      EXPECT_EQ(lines, blank ? 0 : trace.sources[0].lines.size()) << language << ": " << source;
    }
  }
}

}  // namespace
}  // namespace lectern
