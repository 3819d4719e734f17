#include "site/page.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "base/html.h"
#include "has.h"
#include "site/outline.h"
#include "site/trace_builder.h"

namespace lectern {
namespace {

using test::has;
using test::Page;
using test::TraceBuilder;

/// Classes of a row, between blanks.
std::string classes(const std::string& row) {
  const std::size_t begin = row.find('"') + 1;
  return " " + row.substr(begin, row.find('"', begin) - begin) + " ";
}

constexpr const char* kText = R"([{"kind":"text","markdown":"A *text*."}])";

TEST(Page, HooksGiveWayToWhatTheyRendered) {
  TraceBuilder builder("int main() {\n  text(\"A *text*.\");\n  int x = 1;\n}\n");
  builder.hook("text(\"A *text*.\");", kText).step(builder.site("int x = 1;"));
  const Page page(builder.trace);
  EXPECT_EQ(classes(page.row("s0-2")), " row shown ");
  EXPECT_TRUE(
      has(page.row("s0-2"), "<div class=\"slot\"><div class=\"prose\"><p>A <em>text</em>.</p></div></div>"));
  EXPECT_TRUE(has(page.row("s0-2"), "data-site=\"0\""));
  EXPECT_TRUE(has(classes(page.row("s0-2r")), " raw "));
  EXPECT_TRUE(has(html_to_text(page.row("s0-2r")), "text(\"A *text*.\");"));
  EXPECT_TRUE(has(classes(page.row("s0-3")), " code "));
  EXPECT_TRUE(has(classes(page.row("s0-3")), " first "));
}

TEST(Page, AHookThatRenderedNothingIsNotThere) {
  TraceBuilder builder("int main() {\n  text(\"\");\n  int x = 1;\n}\n");
  builder.hook("text(\"\");", R"([{"kind":"text"}])").step(builder.site("int x = 1;"));
  const Page page(builder.trace);
  EXPECT_TRUE(has(classes(page.row("s0-2")), " raw "));  // as the code behind what others rendered
  EXPECT_FALSE(has(page.body, "row shown"));
  EXPECT_FALSE(has(classes(page.row("s0-3")), " raw "));
}

TEST(Page, HooksInLoopsShowTheLastPass) {
  TraceBuilder builder("for (int i = 0; i < 3; ++i) {\n  text(\"pass {}\", i);\n}\n");
  const int loop = builder.site("for (int i = 0; i < 3; ++i) {", SiteKind::loop);
  const int text = builder.site("text(\"pass {}\", i);", SiteKind::hook);
  for (int i = 0; i < 3; ++i) {
    builder.step(loop, R"({"vars":{"i":{"type":"int","value":)" + std::to_string(i) + "}}}");
    builder.step(text, R"({"show":[{"kind":"text","markdown":"pass )" + std::to_string(i) + R"("}]})");
  }
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.row("s0-2"), "<p>pass 2</p>"));
  EXPECT_FALSE(has(page.body, "<p>pass 1</p>"));
  EXPECT_EQ(page.steps.show.size(), 3u);
  EXPECT_TRUE(has(page.row("s0-1"),
                  "<span class=\"chip\" data-site=\"0\" data-name=\"i\" title=\"int\">i <i>2</i></span>"));
}

std::string variable(const std::string& name, int value) {
  return R"({"vars":{")" + name + R"(":{"type":"int","value":)" + std::to_string(value) + "}}}";
}

TEST(Page, BadgesAreOfTheLastPassOfALoop) {
  TraceBuilder builder(
      "for (int i = 0; i < 2; ++i) {\n  if (i == 0) {\n    x = i;\n  }\n  y = i;\n}\nz = y;\n");
  const int loop = builder.site("for (int i = 0; i < 2; ++i) {", SiteKind::loop),
            branch = builder.site("if (i == 0) {", SiteKind::branch), x = builder.site("x = i;"),
            y = builder.site("y = i;"), z = builder.site("z = y;");
  builder.trace.sites[index(loop)].body = 3;
  builder.step(loop).step(branch).step(x, variable("x", 0)).step(y, variable("y", 0));
  builder.step(loop).step(branch).step(y, variable("y", 1));
  builder.step(loop).step(z, variable("z", 1));
  const Page page(builder.trace);
  EXPECT_FALSE(has(page.row("s0-3"), "chip\"")) << "x was set in the first pass";
  EXPECT_TRUE(has(page.row("s0-5"), "y <i>1</i>")) << "the loop's last step begins no pass";
  EXPECT_TRUE(has(page.row("s0-7"), "z <i>1</i>"));
}

TEST(Page, BadgesOfAFunctionAreOfOneActivation) {
  // f(2) calls f(1); the one that was called first ends last.
  TraceBuilder builder("int f() {\n  m = n;\n  f();\n  return n;\n}\nint main() {\n  f();\n}\n");
  const int f = builder.function("int f()", "}", "f");
  const int m = builder.site("m = n;"), inner = builder.site("f();", SiteKind::statement, false, 1),
            leave = builder.site("return n;", SiteKind::return_),
            call = builder.site("f();", SiteKind::statement, false, 2);
  builder.trace.stacks.push_back({f, {}, 0, call, 2});
  builder.trace.stacks.push_back({f, {}, 1, inner, 3});
  builder.step(call).step(m, variable("m", 2)).step(inner).step(m, variable("m", 1));
  builder.step(leave, variable("n", 1)).step(inner).step(leave).step(call);
  const std::vector<int> stacks{0, 1, 1, 2, 2, 1, 1, 0};
  for (std::size_t i = 0; i < stacks.size(); ++i) builder.trace.steps[i].stack = stacks[i];
  for (const std::size_t step : {0UL, 1UL, 3UL}) builder.trace.steps[step].enter = 1;
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.row("s0-2"), "m <i>2</i>"));
  EXPECT_FALSE(has(page.row("s0-4"), "chip\"")) << "n was inspected in the inner activation only";
  // Where the run ended within it, the inner one is the one that is shown.
  builder.trace.steps.resize(5);
  const Page ended(builder.trace);
  EXPECT_TRUE(has(ended.row("s0-2"), "m <i>1</i>"));
  EXPECT_TRUE(has(ended.row("s0-4"), "n <i>1</i>"));
}

TEST(Page, HooksThatNeverRanStayCode) {
  TraceBuilder builder("if (x) {\n  text(\"never\");\n}\n");
  builder.step(builder.site("if (x) {", SiteKind::branch));
  builder.site("text(\"never\");", SiteKind::hook);
  const Page page(builder.trace);
  EXPECT_TRUE(has(classes(page.row("s0-2")), " never "));
  EXPECT_TRUE(has(classes(page.row("s0-2")), " code "));
  EXPECT_FALSE(has(classes(page.row("s0-1")), " never "));
}

TEST(Page, HooksBesideOtherCodeRenderUnderTheLine) {
  TraceBuilder builder("if (x) text(\"A\");\nint y;\n");
  builder.step(builder.site("if (x)", SiteKind::branch));
  builder.hook("text(\"A\");", kText);
  const Page page(builder.trace);
  EXPECT_TRUE(has(html_to_text(page.row("s0-1")), "if (x) text(\"A\");"));
  EXPECT_TRUE(has(page.body, "<div class=\"row under\" data-site=\"1\"><div class=\"slot\">"));
  EXPECT_TRUE(has(classes(page.row("s0-1")), " last "));
}

TEST(Page, SeveralHooksOnOneLineAllShow) {
  TraceBuilder builder("text(\"A\"); text(\"B\");  // both\n");
  builder.hook("text(\"A\");", R"([{"kind":"text","markdown":"A"}])");
  builder.hook("text(\"B\");", R"([{"kind":"text","markdown":"B"}])");
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.body, "<p>A</p>"));
  EXPECT_TRUE(has(page.body, "<p>B</p>"));
  EXPECT_TRUE(has(classes(page.row("s0-1r")), " raw "));
}

TEST(Page, RenderingsOfOneStatementShareALine) {
  TraceBuilder builder("text(\"See\"), link(main);\n");
  builder.hook("text(\"See\"), link(main);",
               R"([{"kind":"text","markdown":"See"},{"kind":"link","function":"main"}])");
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.body, "<p>See <a class=\"fn\" href=\"#s0-1\"><code>main</code></a></p>")) << page.body;
}

TEST(Page, WhatOtherStatementsRenderStandsUnderThem) {
  TraceBuilder builder("show_all(x);\nint y;\n");
  builder.step(builder.site("show_all(x);"), R"({"show":[{"kind":"text","markdown":"shown"}]})");
  const Page page(builder.trace);
  const std::size_t code = page.body.find("id=\"s0-1\""), under = page.body.find("row under");
  EXPECT_LT(code, under);
  EXPECT_LT(under, page.body.find("id=\"s0-2\""));
}

TEST(Page, SpeakersNotesAreQuiet) {
  TraceBuilder builder("note(\"n\");\ntext(\"t\"), note(\"n\");\n");
  builder.hook("note(\"n\");", R"([{"kind":"note","markdown":"n"}])");
  builder.hook("text(\"t\"), note(\"n\");",
               R"([{"kind":"text","markdown":"t"},{"kind":"note","markdown":"n"}])");
  const Page page(builder.trace);
  EXPECT_EQ(classes(page.row("s0-1")), " row shown quiet ");
  EXPECT_EQ(classes(page.row("s0-2")), " row shown ");
}

TEST(Page, FilesStandInTheOrderInWhichTheRunCameToThem) {
  TraceBuilder builder("int main() {\n  second();\n}\n");
  const int call = builder.site("second();");
  for (const char* path : {"never.h", "last.cpp", "second.cpp"}) {
    SourceFile file = builder.trace.sources[0];
    file.path = path;
    builder.trace.sources.push_back(file);
  }
  const auto statement_of = [&](int source) {
    auto function = builder.trace.functions[0];
    function.source = source;
    builder.trace.functions.push_back(function);
    Site site = builder.trace.sites[0];
    site.function = static_cast<int>(builder.trace.functions.size()) - 1;
    builder.trace.sites.push_back(site);
    return static_cast<int>(builder.trace.sites.size()) - 1;
  };
  const int in_last = statement_of(2), in_second = statement_of(3);
  builder.step(call).step(in_second).step(call).step(in_second).step(in_last);
  const Page page(builder.trace);
  std::vector<std::size_t> places;
  for (const char* path : {">example.cpp<", ">second.cpp<", ">last.cpp<", ">never.h<"}) {
    places.push_back(page.body.find(path));
  }
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
  EXPECT_NE(places.back(), std::string::npos);
  std::vector<std::string> outline;
  for (const Heading& heading : lecture_outline(page.trace, page.steps)) {
    outline.push_back(heading.id.substr(0, 2));
  }
  EXPECT_EQ(outline, (std::vector<std::string>{"s0", "s3", "s2"}));
}

/// A lecture of two functions, which main calls; the second one has a parameter.
TraceBuilder article() {
  TraceBuilder builder(
      "#include <a>\n\nint main() {\n  text(\"Title\");\n  first();\n  auto y = second(3);\n}\n\n"
      "void first() {\n  text(\"One\");\n  int x = 1;\n}\n\n"
      "int second(int n) {\n  text(\"Two\");\n  if (n) {\n    text(\"Three\");\n  }\n  return n;\n}\n");
  builder.trace.functions[0].span = {3, 1, 7, 2};
  builder.function("void first", "}", "first");
  builder.trace.functions.push_back({"second", 0, {14, 1, 20, 2}, {}});
  builder.hook("text(\"Title\");", R"([{"kind":"text","markdown":"Title"}])");
  const int first = builder.site("first();"), second = builder.site("auto y = second(3);");
  builder.trace.stacks.push_back({.function = 1, .parent = 0, .call = first, .depth = 2});
  builder.trace.stacks.push_back({.function = 2, .parent = 0, .call = second, .depth = 2});
  builder.step(first);
  builder.hook("text(\"One\");", R"([{"kind":"text","markdown":"One"}])");
  builder.step(builder.site("int x = 1;")).step(second);
  builder.hook("text(\"Two\");", R"([{"kind":"text","markdown":"Two"}])");
  builder.step(builder.site("if (n) {", SiteKind::branch));
  builder.hook("text(\"Three\");", R"([{"kind":"text","markdown":"Three"}])");
  builder.step(builder.site("return n;"));
  for (const std::size_t step : {2UL, 3UL}) builder.trace.steps[step].stack = 1;
  for (const std::size_t step : {5UL, 6UL, 7UL, 8UL}) builder.trace.steps[step].stack = 2;
  return builder;
}

TEST(Page, ReadsAsAnArticle) {
  const Page page(article().trace);
  std::vector<std::size_t> places;
  for (const char* what :
       {"<p>Title</p>", "id=\"s0-5\"", "<p>One</p>", "int</span> x", "id=\"s0-6\"", "<p>Two</p>"})
    places.push_back(page.body.find(what));
  EXPECT_TRUE(std::ranges::is_sorted(places)) << "what is called stands between the calls";
  EXPECT_NE(places.back(), std::string::npos);
  EXPECT_TRUE(has(classes(page.row("s0-5")), " aside ")) << "a call steps back";
  EXPECT_FALSE(has(classes(page.row("s0-6")), " aside ")) << "one that does more does not";
  for (const char* id : {"s0-1", "s0-3r", "s0-9r", "s0-12"})
    EXPECT_TRUE(has(classes(page.row(id)), " raw ")) << id << " holds the program together";
  for (const char* id : {"s0-3", "s0-9"})
    EXPECT_TRUE(has(page.body, std::string("<div class=\"part\" data-line=\"") + (id[3] == '3' ? "3" : "8") +
                                   "\" id=\"" + id))
        << "links to the function lead to its part";
  EXPECT_TRUE(has(classes(page.row("s0-14")), " aside "))
      << "the head of a function of prose with parameters";
  EXPECT_TRUE(has(page.body, "id=\"s0-9\" style=\"--out:2\"")) << "its code stands at the margin";
}

TEST(Page, ReferencesEndTheText) {
  TraceBuilder builder("text(\"A\"), link(b);\nlink(b);\n");
  const std::string link = R"({"kind":"link","title":"B","authors":["C"],"url":"https://b.example"})";
  builder.hook("text(\"A\"), link(b);", R"([{"kind":"text","markdown":"# A"},)" + link + "]");
  builder.step(builder.site("link(b);", SiteKind::hook, false, 2), R"({"show":[)" + link + "]}");
  const Page page(builder.trace);
  EXPECT_EQ(page.steps.references.find("<li>"), page.steps.references.rfind("<li>"));
  EXPECT_TRUE(has(page.body, " data-ref=\"1\">[C]</a>")) << page.body;
  EXPECT_GT(page.body.find("class=\"references\""), page.body.rfind("class=\"row"));
  EXPECT_EQ(lecture_outline(page.trace, page.steps).back().id, "references");
}

TEST(Page, OutlinesLeadToTheSectionsAtItsEndThatThereAre) {
  const std::string heading = R"({"kind":"text","markdown":"# A"})",
                    term = R"({"kind":"term","name":"t","definition":"a term"})",
                    link = R"({"kind":"link","title":"B","authors":["C"],"url":"https://b.example"})";
  const auto last = [&](const std::string& shown) {
    TraceBuilder builder("show();\n");
    builder.hook("show();", "[" + heading + shown + "]");
    const Page page(builder.trace);
    std::string ids;
    for (const Heading& each : lecture_outline(page.trace, page.steps)) ids += each.id + " ";
    return ids;
  };
  EXPECT_EQ(last(""), "a ");
  EXPECT_EQ(last("," + term), "a terms ");
  EXPECT_EQ(last("," + link), "a references ");
  EXPECT_EQ(last("," + link + "," + term), "a terms references ");
}

TEST(Page, HiddenStatementsAreSeenInRawViewOnly) {
  TraceBuilder builder("int a;\nint b;  // @hide\ntext(\"t\");  // @hide\nint c;\n");
  builder.step(builder.site("int a;")).step(builder.site("int b;", SiteKind::statement, true));
  builder.step(builder.site("text(\"t\");", SiteKind::hook, true),
               R"({"show":[{"kind":"text","markdown":"t"}]})");
  const Page page(builder.trace);
  for (const char* id : {"s0-2", "s0-3"}) {
    EXPECT_TRUE(has(classes(page.row(id)), " raw hide ")) << id;
  }
  EXPECT_FALSE(has(page.body, "class=\"slot\""));
  EXPECT_FALSE(has(classes(page.row("s0-1")), " last ")) << "code goes on below";
}

TEST(Page, HiddenDefinitionsAreSeenInRawViewOnly) {
  TraceBuilder builder("int a;\nvoid f() {\n  int b;\n}\nint c;\n");
  builder.step(builder.site("int a;")).step(builder.site("int c;"));
  builder.trace.sources[0].hidden = {{2, 3}, {3, 4}, {5, 4}, {0, 1}, {7, 9}};
  const Page page(builder.trace);
  for (const char* id : {"s0-2", "s0-3", "s0-4"})
    EXPECT_TRUE(has(classes(page.row(id)), " raw hide")) << id << classes(page.row(id));
  for (const char* id : {"s0-1", "s0-5"}) EXPECT_FALSE(has(classes(page.row(id)), "hide")) << id;

  builder.trace.sources.push_back(
      {.path = "b.h", .lines = {"int x;", "int y;"}, .hidden = {{1, 2147483647}}});
  const Page files(builder.trace);
  EXPECT_TRUE(has(files.body, "<p class=\"path hide\">b.h</p>"));
  EXPECT_TRUE(has(files.body, "<p class=\"path\">"));
}

TEST(Page, PassesThatWereLeftOutAreSaidAtTheirLoop) {
  TraceBuilder builder("int main() {\n  for (;;) {\n    a();\n    b();\n    c();\n  }\n}\n");
  const int loop = builder.site("for (;;)", SiteKind::loop), a = builder.site("a();");
  const int b = builder.site("b();");
  builder.site("c();");
  builder.step(loop).step(a).step(loop);
  builder.trace.left_out = {
      {.loop = loop, .stack = 0, .passes = 1200, .runs = {{a, 1200}, {b, 3}}, .before = 2},
      {.loop = loop, .stack = 0, .passes = 1, .runs = {{a, 1}}, .before = 3}};
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.row("s0-2"), "<span class=\"left-out\">1,201 passes are not shown</span>"))
      << page.row("s0-2");
  EXPECT_FALSE(has(classes(page.row("s0-3")), "unrecorded"));
  EXPECT_TRUE(has(classes(page.row("s0-4")), " unrecorded")) << "ran in passes that are left out only";
  EXPECT_TRUE(has(classes(page.row("s0-5")), " never"));
}

TEST(Page, FunctionsThatNeverRanAreMarked) {
  TraceBuilder builder("void f() {\n  int x;\n}\nvoid g() {\n  int y;\n}\nvoid h() {}\n");
  builder.function("void f()", "}", "f");
  builder.function("void g()", "}", "g");
  builder.trace.functions.push_back({"h", 0, {7, 1, 7, 12}, "it is <constexpr>"});
  builder.site("int x;");
  builder.step(builder.site("int y;"));
  const Page page(builder.trace);
  for (const char* id : {"s0-1", "s0-2", "s0-3"}) EXPECT_TRUE(has(classes(page.row(id)), " never ")) << id;
  for (const char* id : {"s0-4", "s0-5", "s0-6", "s0-7"})
    EXPECT_FALSE(has(classes(page.row(id)), " never ")) << id;
  EXPECT_TRUE(has(page.row("s0-7"), "title=\"Not stepped: it is &lt;constexpr&gt;\""));
}

TEST(Page, LinesOnWhichAStatementRanAreNotSaidNeverToHaveRun) {
  TraceBuilder builder(
      "sort(v, [](int a) {\n  // why\n  return a;\n});\n"
      "struct Local { int get() { return 1; } } local{3};\n"
      "auto n = count(v,\n  [](int b) { return b; }) + offset;\n"
      "call([] {\n  if (c) d();\n  else e();\n});\n"
      "switch (k) {\n  case 1: one(); break;\n}\n");
  builder.function("[](int a)", "}", "sort::(lambda)");
  builder.function("int get()", "}", "Local::get");
  builder.function("[](int b)", "}", "count::(lambda)");
  builder.function("[] {", "}", "call::(lambda)");
  const auto of = [&](int site, int function) {
    builder.trace.sites[static_cast<std::size_t>(site)].function = function;
    return site;
  };
  builder.step(of(builder.site("sort(v, [](int a) {\n  // why\n  return a;\n});"), 0));
  of(builder.site("return a;"), 1);
  builder.step(of(builder.site("struct Local { int get() { return 1; } } local{3};"), 0));
  of(builder.site("return 1;"), 2);
  builder.step(of(builder.site("auto n = count(v,\n  [](int b) { return b; }) + offset;"), 0));
  of(builder.site("return b;"), 3);
  builder.step(of(builder.site("call([] {\n  if (c) d();\n  else e();\n});"), 0));
  builder.step(of(builder.site("if (c)", SiteKind::branch), 4)).step(of(builder.site("d();"), 4));
  of(builder.site("e();"), 4);
  builder.step(of(builder.site("switch (k)", SiteKind::branch), 0));
  of(builder.site("one();"), 0);
  of(builder.site("break;", SiteKind::jump), 0);
  const Page page(builder.trace);
  for (const char* id : {"s0-2", "s0-3", "s0-4", "s0-10", "s0-13"})
    EXPECT_TRUE(has(classes(page.row(id)), " never ")) << id;
  for (const char* id : {"s0-1", "s0-5", "s0-6", "s0-7", "s0-8", "s0-9", "s0-11", "s0-12", "s0-14"})
    EXPECT_FALSE(has(classes(page.row(id)), " never ")) << id;
}

TEST(Page, MembersOnOneLineAreMarkedOnlyWhenNoneRan) {
  TraceBuilder builder(
      "struct A { A() { f(); } int get() { return 1; } };\n"
      "struct B { B() { g(); } int get() { return 2; } };\n"
      "int main() { auto unused = [] { return 3; };\n}\n");
  builder.trace.functions.clear();
  builder.function("A()", "}", "A::A");
  builder.function("int get() { return 1", "}", "A::get");
  builder.function("B()", "}", "B::B");
  builder.function("int get() { return 2", "}", "B::get");
  builder.function("int main()", "\n}", "main");
  builder.function("[] {", "}", "main::unused");
  const auto of = [&](const char* text, int function) {
    const int site = builder.site(text);
    builder.trace.sites[static_cast<std::size_t>(site)].function = function;
    return site;
  };
  builder.step(of("f();", 0));
  of("return 1;", 1);
  of("g();", 2);
  of("return 2;", 3);
  builder.step(of("auto unused = [] { return 3; };", 4));
  of("return 3;", 5);
  const Page page(builder.trace);
  EXPECT_FALSE(has(classes(page.row("s0-1")), " never "));
  EXPECT_TRUE(has(classes(page.row("s0-2")), " never "));
  EXPECT_FALSE(has(classes(page.row("s0-3")), " never "));
}

TEST(Page, FunctionsThatRanUnrecordedAreNotSaidNeverToHaveRun) {
  TraceBuilder builder("void f() {\n  int x;\n}\nvoid g() {\n  int y;\n}\n");
  const int f = builder.function("void f()", "}", "f");
  builder.function("void g()", "}", "g");
  builder.site("int x;");
  builder.site("int y;");
  builder.trace.functions[static_cast<std::size_t>(f)].ran_unrecorded = true;
  const Page page(builder.trace);
  for (const char* id : {"s0-1", "s0-2", "s0-3"}) {
    EXPECT_TRUE(has(classes(page.row(id)), " unrecorded ")) << id;
    EXPECT_FALSE(has(classes(page.row(id)), " never ")) << id;
    EXPECT_TRUE(has(page.row(id), "title=\"Ran, but was not recorded\"")) << id;
  }
  EXPECT_TRUE(has(classes(page.row("s0-5")), " never "));
  EXPECT_FALSE(has(classes(page.row("s0-5")), " unrecorded "));
}

TEST(Page, TellsWhereOutputIsCut) {
  TraceBuilder builder("f();\ng();\n");
  builder.step(builder.site("f();"), R"({"out":"o","out_cut":1234,"err":"e\n","err_cut":1})");
  builder.step(builder.site("g();"), R"({"out":"more"})");
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.body,
                  "o\n[output cut here: 1,234 more bytes were printed]\n"
                  "e\n[output cut here: 1 more byte was printed]\nmore</pre>"))
      << page.body;
}

TEST(Page, ShowsTheBeginningOfALongRunsOutputAndTellsTheRest) {
  TraceBuilder builder("f();\n");
  const int f = builder.site("f();");
  const std::string text(60'000, 'x');
  for (int i = 0; i < 3; ++i) builder.step(f, R"({"out":")" + text + R"("})");
  builder.step(f, R"({"out_cut":5})");
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.body, text + text + "\n[output cut here: 60,005 more bytes were printed]\n</pre>"));
}

TEST(Page, WhatStandsAboveAllThatRunsIsFolded) {
  TraceBuilder builder(
      "#include <a>\nvoid f();\n\nint u = 1;\nint v = 2;\nint w = 3;\n\n// Says what f is.\nvoid f() {\n  "
      "int x;\n}\n");
  builder.trace.functions.clear();
  builder.function("void f() {", "}", "f");
  builder.step(builder.site("int x;"));
  const Page page(builder.trace);
  const std::size_t begin = page.body.find("<details class=\"fold\"><summary>");
  const std::size_t end = page.body.find("</details>");
  ASSERT_NE(begin, std::string::npos) << page.body;
  const std::string summary = page.body.substr(begin, page.body.find("</summary>", begin) - begin);
  EXPECT_EQ(html_to_text(summary), "int u = 1; 3 lines");
  const auto place = [&](const char* id) { return page.body.find(" id=\"" + std::string(id) + "\""); };
  EXPECT_LT(begin, place("s0-1"));
  EXPECT_LT(place("s0-6"), end);
  EXPECT_LT(end, place("s0-8")) << "the comment is the function's";
  EXPECT_TRUE(has(classes(page.row("s0-6")), " last "));
  for (const char* id : {"s0-1", "s0-2", "s0-7"}) EXPECT_TRUE(has(classes(page.row(id)), " raw ")) << id;
  EXPECT_TRUE(has(classes(page.row("s0-8")), " first "));
  EXPECT_TRUE(has(page.row("s0-1"), "data-line=\"1\""));
}

TEST(Page, ShortDeclarationsAndPagesWithoutStepsAreNotFolded) {
  TraceBuilder brief("#include <a>\nusing b;\n\nint x;\n");
  brief.trace.functions[0].span = {4, 1, 4, 7};
  brief.step(brief.site("int x;"));
  EXPECT_FALSE(has(Page(brief.trace).body, "<details"));
  TraceBuilder still("a;\nb;\nc;\nvoid f() {\n  d;\n}\n");
  still.trace.functions.clear();
  EXPECT_FALSE(has(Page(still.trace).body, "<details"));
}

TEST(Page, ItsPartsAndItsOutlineStandInTheOrderOfTheRun) {
  TraceBuilder builder(
      "struct Unused {\n  int a;\n};\nvoid last() {\n  text(\"# C\");\n}\nvoid first() {\n  text(\"# "
      "B\");\n}\n"
      "int main() {\n  text(\"# A\");\n  first();\n  last();\n}\n");
  builder.trace.functions.clear();
  builder.function("void last()", "}", "last");
  builder.function("void first()", "}", "first");
  builder.function("int main()", "\n}", "main");
  const auto hook = [&](const char* text, const char* heading, int function) {
    builder.hook(text, R"([{"kind":"text","markdown":"# )" + std::string(heading) + "\"}]");
    builder.trace.sites.back().function = function;
  };
  hook("text(\"# A\");", "A", 2);
  hook("text(\"# B\");", "B", 1);
  hook("text(\"# C\");", "C", 0);
  const Page page(builder.trace);
  std::vector<std::size_t> places;
  for (const char* id : {"s0-10", "s0-11", "s0-7", "s0-8", "s0-1", "s0-4", "s0-5"})
    places.push_back(page.body.find(" id=\"" + std::string(id) + "\""));
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end())) << page.body;
  EXPECT_NE(places.back(), std::string::npos);
  std::string outline;
  for (const Heading& heading : lecture_outline(page.trace, page.steps)) outline += heading.text;
  EXPECT_EQ(outline, "ABC");
  EXPECT_TRUE(has(classes(page.row("s0-3")), " last "));
  for (const char* id : {"s0-9", "s0-14"})
    EXPECT_TRUE(has(classes(page.row(id)), " raw ")) << id << " ends a function whose head is not shown";
}

TEST(Page, AFileThatComesAgainSaysFromWhichLine) {
  TraceBuilder builder("void f() {\n  a;\n}\nvoid g() {\n  b;\n}\n");
  builder.trace.functions.clear();
  builder.function("void f()", "}", "f");
  builder.function("void g()", "}", "g");
  builder.trace.sources.push_back({"other.h", "cpp", {"void h() { c; }"}});
  builder.trace.functions.push_back({"h", 1, {1, 1, 1, 16}});
  const int a = builder.site("a;"), b = builder.site("b;");
  builder.trace.sites[0].function = 0;
  builder.trace.sites.push_back({2, {1, 12, 1, 14}});
  builder.step(a).step(2).step(b);
  const Page page(builder.trace);
  std::vector<std::size_t> places;
  for (const char* label :
       {"aria-label=\"example.cpp\"", "aria-label=\"other.h\"", "\"example.cpp, from line 4\""})
    places.push_back(page.body.find(label));
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end())) << page.body;
  EXPECT_NE(places.back(), std::string::npos);
}

TEST(Page, TheHighestHeadingFollowsTheTitle) {
  TraceBuilder builder("text(\"a\");\ntext(\"b\");\n");
  builder.hook("text(\"a\");", R"([{"kind":"text","markdown":"## A\n\n`<h3>`"}])");
  builder.hook("text(\"b\");", R"([{"kind":"text","markdown":"### B"}])");
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.body, "<h2 id=\"a\">A</h2>")) << page.body;
  EXPECT_TRUE(has(page.body, "<h3 id=\"b\">B</h3>"));
  EXPECT_TRUE(has(page.body, "<code>&lt;h3&gt;</code>"));
  const std::vector<Heading> outline = lecture_outline(builder.trace, page.steps);
  ASSERT_EQ(outline.size(), 2u);
  EXPECT_EQ(outline[0].level, 1);
  EXPECT_EQ(outline[1].level, 2);
}

TEST(Page, EmptyLinesStayBetweenCodeOnly) {
  TraceBuilder builder("int a;\n\n\nint b;\n\ntext(\"t\");\n\nint c;\n");
  builder.step(builder.site("int a;")).hook("text(\"t\");", kText);
  const Page page(builder.trace);
  EXPECT_TRUE(has(classes(page.row("s0-2")), " blank "));
  for (const char* id : {"s0-3", "s0-5", "s0-7"}) EXPECT_TRUE(has(classes(page.row(id)), " raw ")) << id;
  EXPECT_TRUE(has(classes(page.row("s0-4")), " last "));
  EXPECT_TRUE(has(classes(page.row("s0-8")), " first last "));
}

TEST(Page, StatementsOverSeveralLinesHaveTheirValuesAtTheEnd) {
  TraceBuilder builder("int x = f(1,\n          2);\n");
  builder.step(builder.site("int x = f(1,\n          2);"), R"({"vars":{"x":{"type":"int","value":7}}})");
  const Page page(builder.trace);
  EXPECT_FALSE(has(page.row("s0-1"), "chip\""));
  EXPECT_TRUE(has(page.row("s0-2"), "x <i>7</i>"));
}

TEST(Page, LinesTellTheirIndentation) {
  TraceBuilder builder("int a;\n  int b;\n                    int c;\n");
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.row("s0-1"), "<code style=\"--in:0\">"));
  EXPECT_TRUE(has(page.row("s0-2"), "<code>"));  // as most are
  EXPECT_TRUE(has(page.row("s0-3"), "style=\"--in:12\""));
}

TEST(Page, ClaimsAreMarkedAndCounted) {
  TraceBuilder builder("assert(a == 1);\nassert(b);\n");
  const int compared = builder.site("assert(a == 1);", SiteKind::claim);
  for (int i = 0; i < 3; ++i) {
    builder.step(
        compared,
        R"({"claims":[{"ok":true,"text":"a == 1","op":"==","left":{"type":"int","value":1},"right":1}]})");
  }
  builder.step(builder.site("assert(b);", SiteKind::claim),
               R"({"claims":[{"ok":false,"text":"b"}],"ended":{"by":"claim"}})");
  builder.trace.end.by = "claim";
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.row("s0-1"),
                  "<span class=\"ok\" title=\"a == 1\">\u2713 <bdi>1</bdi> == <bdi>1</bdi></span>"));
  EXPECT_TRUE(has(page.row("s0-2"), "<span class=\"bad\" title=\"b\">\u2717</span>"));
  const LectureSummary summary = summarize(builder.trace, page.steps);
  EXPECT_EQ(summary.claims_held, 1u) << "a statement counts once";
  EXPECT_EQ(claims_text(summary), "\u2717 1 of 2 claims failed");
}

TEST(Page, ClaimsOfAnExerciseAreMarkedWithWhatTheyThrew) {
  TraceBuilder builder("assert(a == 1);\nassert(b);\nassert(c);\n");
  builder.step(builder.site("assert(a == 1);", SiteKind::claim), R"({"claims":[{"ok":true}]})");
  builder.step(builder.site("assert(b);", SiteKind::claim),
               R"({"claims":[{"ok":false,"threw":"not written yet: <b>"}]})");
  builder.site("assert(c);", SiteKind::claim);
  builder.trace.end.exercise = true;
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.row("s0-2"),
                  "<span class=\"bad\" title=\"not written yet: &lt;b&gt;\">\u2717 <bdi>not written yet: "
                  "&lt;b&gt;</bdi>"))
      << page.row("s0-2");
  LectureSummary summary = summarize(builder.trace, page.steps);
  EXPECT_EQ(claims_text(summary), "\u2717 1 of 3 claims hold") << "one was not reached";
  EXPECT_TRUE(summary_from_json(to_json(summary), "lecture.json").exercise);
  summary.claims_held = 3;
  summary.claims_failed = 0;
  EXPECT_EQ(claims_text(summary), "\u2713 3 of 3 claims hold");
}

TEST(Page, SaysHowARunEndedEarly) {
  TraceBuilder builder("f();\ng();\n");
  builder.step(builder.site("f();"),
               R"({"ended":{"by":"exception","type":"std::runtime_error","what":"no <file>"}})");
  builder.trace.end.by = "exception";
  const Page page(builder.trace);
  EXPECT_TRUE(
      has(page.body,
          "<p class=\"ended-message\" role=\"note\">example.cpp:1:1: The run ended with an exception of type "
          "std::runtime_error: no "
          "&lt;file&gt;. The page goes up to <a href=\"#s0-1\">line 1</a>."))
      << page.body;
  EXPECT_TRUE(has(page.body, "<div class=\"row under ended\">"));
}

TEST(Page, EveryEndIsTold) {
  for (const char* by :
       {"exception", "claim", "exit", "abort", "signal", "killed", "interrupted", "orphaned", "incomplete"}) {
    TraceBuilder builder("f();\n");
    builder.step(builder.site("f();"));
    builder.trace.end.by = by;
    builder.trace.end.status = 2;
    const Page page(builder.trace);
    EXPECT_TRUE(has(page.body, "ended-message")) << by;
    EXPECT_GE(page.steps.ended, 0) << by;
  }
  TraceBuilder builder("f();\n");
  EXPECT_FALSE(has(Page(builder.trace).body, "ended-message")) << "an empty trace of a run that returned";
  builder.trace.end.by = "incomplete";
  EXPECT_TRUE(has(Page(builder.trace).body, "ended-message"));
}

TEST(Page, TheTitleBlockIsTheFrontMatters) {
  TraceBuilder builder("lecture({});\nint x;\n");
  builder.hook("lecture({});",
               R"([{"kind":"front","title":"A & B","date":"2026-11-21","authors":["X","Y"],"tags":["t"],
                                   "description":"D"}])");
  builder.trace.profile = Profile{.name = "cpu", .threads = 2, .compiler = "g++ 12.2.0"};
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.body, "<header class=\"title\" data-site=\"0\"><h1>A &amp; B</h1>"));
  EXPECT_TRUE(has(page.body,
                  "21 November 2026 \u00B7 X, Y \u00B7 1 min \u00B7 1 step \u00B7 recorded with g++ 12.2.0 "
                  "on the CPU, 2 threads"));
  EXPECT_TRUE(has(classes(page.row("s0-1")), " raw "));
  TraceBuilder plain("int x;\n");
  EXPECT_TRUE(has(Page(plain.trace).body, "<h1>example</h1>"));
}

TEST(Page, WithoutFrontMatterTheFirstHeadingIsTheTitle) {
  TraceBuilder builder("text(\"later\");\ntext(\"first\");\ntext(\"hidden\");\n");
  const int later = builder.site("text(\"later\");", SiteKind::hook);
  builder.step(builder.site("text(\"hidden\");", SiteKind::hook, true),
               R"({"show":[{"kind":"text","markdown":"# Hidden"}]})");
  builder.hook("text(\"first\");", R"([{"kind":"text","markdown":"## Not this\n\n# The *first* one"}])");
  builder.step(later, R"({"show":[{"kind":"text","markdown":"# Later"}]})");
  EXPECT_TRUE(has(Page(builder.trace).body, "<h1>The first one</h1>"));
  TraceBuilder sections("text(\"a\");\n");
  sections.hook("text(\"a\");", R"([{"kind":"text","markdown":"## A section"}])");
  EXPECT_TRUE(has(Page(sections.trace).body, "<h1>example</h1>")) << "a section is no title";
}

TEST(Page, TheOutlineFollowsThePage) {
  TraceBuilder builder("void f() {\n  text(\"b\");\n}\nint main() {\n  text(\"a\");\n}\n");
  builder.function("void f()", "}", "f");
  const int second = builder.site("text(\"b\");", SiteKind::hook);
  builder.hook("text(\"a\");", R"([{"kind":"text","markdown":"# A\n\n#### too deep"}])");
  builder.step(second, R"({"show":[{"kind":"text","markdown":"## B"}]})");
  const Page page(builder.trace);
  const std::vector<Heading> outline = lecture_outline(builder.trace, page.steps);
  ASSERT_EQ(outline.size(), 2u);
  EXPECT_EQ(outline[0].text, "A");
  EXPECT_EQ(outline[1].text, "B");
  for (const Heading& heading : outline) EXPECT_TRUE(has(page.body, "id=\"" + heading.id + "\""));
  TraceBuilder plain("int x;\n");
  plain.step(plain.site("int x;"));
  EXPECT_EQ(lecture_outline(plain.trace, Page(plain.trace).steps).at(0).text, "main");
}

TEST(Page, PrintedTextIsThere) {
  TraceBuilder builder("f();\n");
  builder.step(builder.site("f();"), R"({"out":"3 < 4\n","err":{"bytes":"e4"}})");
  builder.trace.end.out = {"child\n"};
  const Page page(builder.trace);
  EXPECT_TRUE(has(page.body, "3 &lt; 4\nchild\n"));
  EXPECT_TRUE(has(page.body, "\uFFFD</pre>")) << "a byte that is no text";
  EXPECT_EQ(page.steps.out.size(), 1u);
}

TEST(Page, SpansOutsideTheFileDoNoHarm) {
  TraceBuilder builder("int x;\n");
  Site wild;
  wild.span = {5, 1, 9, 1};
  builder.trace.sites.push_back(wild);
  wild.span = {1, 500, 1, 900};
  builder.trace.sites.push_back(wild);
  wild.kind = SiteKind::hook;
  builder.trace.sites.push_back(wild);
  builder.step(0).step(1).step(2, R"({"show":[{"kind":"text","markdown":"x"}]})");
  EXPECT_FALSE(Page(builder.trace).body.empty());
}

}  // namespace
}  // namespace lectern
