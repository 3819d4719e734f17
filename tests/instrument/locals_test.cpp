#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "instrument/instrumented.h"

namespace lectern {
namespace {

using Lines = std::vector<std::string>;

/// What each place inspects by `*`, in the order of the source: "watch n, local i {0, 2}".
Lines inspected(const Instrumented& file) {
  static const std::regex calls(R"re(\.(argument|local|watch)\("(\w+)", (\w+)(, (\{\d+, \d+\}))?\))re");
  const std::string text = body_of(file);
  Lines places;
  for (std::size_t at = text.find(insertion_marker); at != std::string::npos;) {
    const std::size_t next = text.find(insertion_marker, at + 1);
    const std::string code = text.substr(at, next - at);
    std::string place;
    for (std::sregex_iterator call(code.begin(), code.end(), calls), end; call != end; ++call) {
      EXPECT_EQ((*call)[2], (*call)[3]) << "the variable is what its name says";
      const std::string constructed = "constructed<decltype(" + (*call)[2].str() + ")>";
      place += (place.empty() ? "" : ", ") + (*call)[1].str() + " " + (*call)[2].str() +
               (has(code, constructed) ? "?" : "") + ((*call)[4].matched ? " " + (*call)[5].str() : "");
    }
    if (!place.empty()) places.push_back(place);
    at = next;
  }
  return places;
}

Lines inspected(const std::string& source, bool inspect_all = false) {
  const Instrumented file = instrument_text(source, inspect_all);
  EXPECT_EQ(errors_of(file) + warnings_of(file), "") << source;
  EXPECT_EQ(strip_probes(file.text), source);
  return inspected(file);
}

TEST(InspectLocals, AfterAStatement) {
  EXPECT_EQ(inspected("int f(int n, const T& t) {\n"
                      "  int a = 1;\n"
                      "  for (int i = 0; i < n; ++i) {\n"
                      "    auto [b, c] = g(i);\n"
                      "    h(b, c);  // @inspect *\n"
                      "    int later = 2;\n"
                      "  }\n"
                      "  return a;  // @inspect *\n"
                      "}\n"),
            (Lines{"argument n, argument t",
                   "local n, local t, local a, local i {1, 5}, local b {2, 5}, local c {2, 5}",
                   "local n, local t, local a"}));
}

TEST(InspectLocals, OnALineOfItsOwnConcernsTheNextStatement) {
  EXPECT_EQ(inspected("void f(int n) {\n  g();\n  // @inspect *\n  h();\n}\n"),
            (Lines{"argument n", "local n"}));
  EXPECT_EQ(inspected("void f(int n) {\n  /* @inspect * */\n  while (n) --n;\n}\n"),
            (Lines{"argument n", "local n"}))
      << "on each entry to the body";
}

TEST(InspectLocals, OfAFunctionAfterEachOfItsStatements) {
  const std::string body = "  int a = n;\n  n = a;\n}\n";
  EXPECT_EQ(inspected("int f(int n) {  // @inspect *\n" + body),
            (Lines{"argument n", "watch n, local a", "local n, watch a"}));
  for (const char* head :
       {"// @inspect *\nint f(int n) {\n", "int f(int n)  // @inspect *\n{\n",
        "int f(int n) /* @inspect * */ {\n", "// @inspect *\n// It is short.\nint f(int n) {\n",
        "// @inspect *\ntemplate <int m>\nint f(int n) {\n",
        "template <int m>  // @inspect *\nint f(int n) {\n",
        "namespace x {\n// @inspect *\nint f(int n) {\n"}) {
    const bool in_namespace = std::string(head).starts_with("namespace");
    EXPECT_EQ(inspected(head + body + (in_namespace ? "}\n" : "")),
              (Lines{"argument n", "watch n, local a", "local n, watch a"}))
        << head;
  }
  EXPECT_EQ(inspected("int f(int n) { return n; }  // @inspect *\n"), (Lines{"argument n", "watch n"}));
  EXPECT_EQ(
      inspected(
          "struct S {\n  // @inspect *\n  int f(int n) { return n; }\n  int g(int m) { return m; }\n};\n"),
      (Lines{"argument n", "watch n"}));
  EXPECT_EQ(inspected("int f(int n) { return n; }\nint g(int m) { return m; }\n", true),
            (Lines{"argument n", "watch n", "argument m", "watch m"}))
      << "--inspect-all: of every function";
}

TEST(InspectLocals, AtHeadersAndAfterThem) {
  EXPECT_EQ(inspected("void f(int n) {  // @inspect *\n"
                      "  if (int k = n; k > 0) {\n"
                      "    g(k);\n"
                      "  } else {\n"
                      "    h(k);\n"
                      "  }\n"
                      "}\n"),
            (Lines{"argument n", "watch n, local k {0, 3}", "watch n, watch k {0, 3}",
                   "watch n, local k {0, 3}", "watch n, watch k {0, 3}", "watch n"}));
  EXPECT_EQ(inspected("void f() {  // @inspect *\n"
                      "  for (int i : g())\n"
                      "    h(i);\n"
                      "}\n"),
            (Lines{"local i {0, 2}", "watch i {0, 2}"}));
  EXPECT_EQ(inspected("void f() {  // @inspect *\n"
                      "  switch (int k = g(); k) {\n"
                      "    case 1: h();\n"
                      "  }\n"
                      "}\n"),
            (Lines{"watch k {0, 2}"}));
  EXPECT_EQ(inspected("void f() {  // @inspect *\n"
                      "  try {\n    int a = 1;\n  } catch (const E& e) {\n    h();\n  }\n}\n"),
            (Lines{"local a {0, 1}", "watch e {1, 2}"}));
  EXPECT_EQ(inspected("void f(int n) try {  // @inspect *\n  g();\n} catch (int e) {\n  h();\n}\n"),
            (Lines{"argument n", "watch n", "argument n", "watch n, watch e {1, 2}"}));
}

TEST(InspectLocals, OfLambdasAreTheirOwn) {
  EXPECT_EQ(inspected("void f(int n) {\n"
                      "  int a = 1;\n"
                      "  auto l = [&](int k) {  // @inspect *\n"
                      "    int b = k + a;\n"
                      "    return b;\n"
                      "  };\n"
                      "  l(n);  // @inspect *\n"
                      "}\n"),
            (Lines{"argument n", "argument k", "watch k, local b", "watch k, watch b", "local n, local a"}));
  // Beside a lambda's definition in a function: the statement that it is in.
  EXPECT_EQ(inspected("void f(int n) {\n  auto l = [] { return 1; };  // @inspect *\n  l();\n}\n"),
            (Lines{"argument n", "local n"}));
  EXPECT_EQ(inspected("// @inspect *\nauto l = [](int n) { return n; };\n"),
            (Lines{"argument n", "watch n"}));
}

TEST(InspectLocals, NeedAValue) {
  EXPECT_EQ(inspected("void f() {  // @inspect *\n"
                      "  int a, b = 1;\n"
                      "  T t;\n"
                      "  T* p;\n"
                      "  if (b) a = 1;\n"
                      "  g();\n"
                      "  a = b = 2;\n"
                      "  a += 1;\n"
                      "  auto l = [] { return 1; };\n"
                      "}\n"),
            (Lines{"local b", "watch b, local t?", "watch b, watch t?",
                   "watch b, watch t?",                              // on entry to the body
                   "watch b, watch t?, local a, watch b, watch t?",  // in the body, and after the branch
                   "watch b, watch t?", "local b, watch t?, local a", "watch b, watch t?, local a",
                   "watch b, watch t?, watch a"}));
  EXPECT_EQ(
      inspected("void f(int n) {\n  int a;\n  if (n) goto end;\n  a = 1;\nend:\n  g();  // @inspect *\n}\n"),
      (Lines{"argument n", "local n"}))
      << "a jump may have passed over the assignment";
  EXPECT_EQ(inspected("void f() {  // @inspect *\n  int (*call)(int);\n  T t(1);\n}\n"), (Lines{"local t"}))
      << "a pointer to a function has none, arguments of a constructor are one";
  EXPECT_EQ(inspected("void f(int n) {  // @inspect *\n  std::string fixed[3], open[n];\n}\n"),
            (Lines{"argument n", "watch n, local fixed?"}));
}

TEST(InspectLocals, ShadowedAreLeftOut) {
  EXPECT_EQ(inspected("void f(int x) {\n"
                      "  {\n    int x = 2;\n    g();  // @inspect *\n  }\n"
                      "  {\n    int x;\n    g();  // @inspect *\n  }\n"
                      "  h();  // @inspect *\n"
                      "}\n"),
            (Lines{"argument x", "local x {0, 2}", "local x"}))
      << "in the second block x has no value";
}

TEST(InspectLocals, OfEveryKindOfParameter) {
  EXPECT_EQ(
      inspected(
          "template <typename... Ts>\n"
          "int (*f(int a, void (*call)(int inner), int (&row)[3], T&& t, int = 0, Ts... all))(double b) {\n"
          "  return g();  // @inspect *\n"
          "}\n"),
      (Lines{"argument a, argument call, argument row, argument t",
             "local a, local call, local row, local t"}))
      << "neither those of other lists, nor packs, nor the ones without a name";
  EXPECT_EQ(inspected("int main(int argc, char** argv) {  // @inspect *\n  int n = argc;\n}\n"),
            (Lines{"local n"}))
      << "the arguments of a program name paths of this machine";
}

TEST(InspectLocals, PointersToMembersByTheirOwnName) {
  EXPECT_EQ(inspected("void f(int S::*a) {\n  int S::*b = a;  // @inspect *\n}\n"),
            (Lines{"argument a", "local a, local b"}));
}

TEST(InspectLocals, PointersToFunctionsAndReferencesToArrays) {
  EXPECT_EQ(inspected("void f(int n) {\n"
                      "  void (*call)() = nullptr;\n"
                      "  int (&row)[2] = rows[n];\n"
                      "  T (*made)(int) = make, *table[2];\n"
                      "  g(&n)[2] = n;\n"
                      "  *row = n;  // @inspect *\n"
                      "}\n"),
            (Lines{"argument n", "local n, local call, local row, local made"}))
      << "which the parser takes for assignments";
}

TEST(InspectLocals, WhatAMacroNamesIsLeftOut) {
  EXPECT_EQ(inspected("#define CAT(a, b) a##b\n#define NAME other\nvoid f() {  // @inspect *\n"
                      "  int CAT(x, y) = 8;\n  int CAT(x, z);\n  int ELSEWHERE(x) = 1;\n  int NAME = 1;\n"
                      "  int c = 1;\n}\n"),
            (Lines{"local c"}));
}

TEST(InspectLocals, BeforeWhatElseAStatementInspects) {
  const std::string text =
      body_of(instrument_text("void f(int n) {\n  g();  // @full n @inspect * @clear m\n  inspect(m);\n}\n"));
  const std::size_t local = text.find(".local(\"n\""), full = text.find(".show_full(\"n\""),
                    clear = text.find(".clear(\"m\")");
  EXPECT_LT(local, full);
  EXPECT_LT(full, clear);
  EXPECT_NE(clear, std::string::npos);
}

TEST(InspectLocals, WhereNothingIsInScope) {
  const auto warning = [](const std::string& source) { return warnings_of(instrument_text(source)); };
  const std::string outside =
      "@inspect outside of a stepped function has no effect; move it to a statement, or remove the @\n";
  EXPECT_EQ(warning("// @inspect *\nint x = 1;\n"), "1:4: " + outside);
  EXPECT_EQ(warning("// @inspect *\nint f(int n);\n"), "1:4: " + outside);
  EXPECT_EQ(warning("// @inspect *\nstruct S {};\n"), "1:4: " + outside);
  EXPECT_EQ(warning("consteval int f(int n) { return n; }  // @inspect *\n"),
            "1:42: this function is not stepped, so @inspect * has no effect; remove it\n");
  EXPECT_EQ(warning("// @stepover\n// @inspect *\nvoid f() { g(); }\n"),
            "2:4: this function is not stepped, so @inspect * has no effect; remove it\n");
  EXPECT_EQ(errors_of(instrument_text("void f() {\n  g();\n  // @inspect *\n}\n")),
            "3:6: no statement follows this directive in its block; write it on the line of its statement\n");
  EXPECT_EQ(errors_of(instrument_text("void f() {\n  g();  // @full *\n}\n")),
            "2:18: '*' after @full is not an expression; remove it\n");
  EXPECT_EQ(errors_of(instrument_text("void f() {\n  g();  // @clear *\n}\n")),
            "2:19: '*' after @clear is not an expression; remove it\n");
}

TEST(InspectLocals, CountAsShown) {
  EXPECT_EQ(
      warnings_of(instrument_text("void f(int n) {\n  g();  // @inspect *\n  n = 2;  // @clear n\n}\n")), "");
  EXPECT_EQ(warnings_of(instrument_text("void f() {\n  int n = 1;\n  n = 2;  // @clear n\n}\n", true)), "");
  EXPECT_EQ(warnings_of(instrument_text("void f(int n) {\n  g();  // @inspect * @volatile n\n}\n")), "");
}

/// The further fields of each site's record.
Lines fields(const std::string& source) {
  static const std::regex field(R"re(SiteKind::\w+, \w+, \w+, (nullptr|"((?:[^"\\]|\\.)*)"))re");
  const std::string text = instrument_text(source).text;
  Lines result;
  for (std::sregex_iterator site(text.begin(), text.end(), field), end; site != end; ++site)
    result.push_back(std::regex_replace((*site)[2].str(), std::regex(R"(\\")"), "\""));
  return result;
}

TEST(Scope, OfWhatIsInspectedEndsWithItsBlock) {
  EXPECT_EQ(fields("int f(int n) {\n"
                   "  int sum = 0;  // @inspect sum n\n"
                   "  for (int i = 0; i < n; ++i) {\n"
                   "    int square = i * i;\n"
                   "    sum += square;  // @inspect square v[i] (n + 1)\n"
                   "  }\n"
                   "  return sum;  // @inspect sum\n"
                   "}\n"),
            (Lines{"", R"({"body":2,"locals":{"v[i]":2}})", R"({"locals":{"square":1}})", "", ""}))
      << "what lives as long as the function has no entry, nor what is not inspected";
  EXPECT_EQ(fields("void f() {\n  while (g()) {\n    int a = 1;\n    inspect(a);\n  }\n  h();\n}\n"),
            (Lines{R"({"body":2})", R"({"locals":{"a":1}})", "", ""}));
  EXPECT_EQ(fields("void f() {\n  {\n    int a = 1;  // @inspect *\n  }\n  h();\n}\n"),
            (Lines{R"({"locals":{"a":0}})", ""}));
  EXPECT_EQ(fields("void f() {\n  {\n    int a = 1;  // @volatile a @inspect a\n  }\n}\n"),
            (Lines{R"({"volatile":["a"],"locals":{"a":0}})"}));
}

}  // namespace
}  // namespace lectern
