// Directives read values: what would change the program, or names nothing, is reported where it stands.

#include <gtest/gtest.h>

#include "instrument/directive_expression.h"
#include "instrument/instrumented.h"

namespace lectern {
namespace {

std::string refused(std::string_view expression, std::string_view language = "cpp") {
  const auto error = expression_error("inspect", expression, 100, language);
  return error ? std::to_string(error->offset) + ": " + error->message : "";
}

TEST(DirectiveExpression, ReadsValues) {
  for (const char* language : {"cpp", "cuda"}) {
    for (const char* expression : {"x",
                                   "w.grad()",
                                   "model.layers[0].weight",
                                   "p->q->r",
                                   "::lectern::e",
                                   "std::size(v)",
                                   "this->n",
                                   "*this",
                                   "w.item<float>()",
                                   "get<0, 1>(t)",
                                   "std::get<0>(t)",
                                   "std::vector<int>::npos",
                                   "numbers<3>",
                                   "f(a, b + 1)",
                                   "m[i, j]",
                                   "m[i + 1][j * 2]",
                                   "m[-1]",
                                   "s[\"a b, c\"]",
                                   "c['x']",
                                   "f(\"x\"s)",
                                   "(x + y)",
                                   "a<b",
                                   "a==b",
                                   "-n",
                                   "!done",
                                   "~bits",
                                   "*p",
                                   "&q",
                                   "f(x ? 1 : 2)",
                                   "f(Point{1, 2})",
                                   "f({.x = 1})",
                                   "f({1, 2})",
                                   "static_cast<int>(x)",
                                   "(int)x",
                                   "int(x)",
                                   "f(nullptr, true)",
                                   "sizeof(x)",
                                   "sizeof...(Ts)",
                                   "f(xs...)",
                                   "(xs + ...)",
                                   "(... && xs)",
                                   "t.template get<0>()",
                                   "typeid(x).name()",
                                   "f(typeid(int))",
                                   "not x",
                                   "x.y().z[0]->w",
                                   "f()()",
                                   "tensor({1., 2})",
                                   "T::value",

                                   "f(1'000, 0x1p3)",
                                   "decltype(x)::value",
                                   "f(R\"(raw)\")",

                                   "1 + x",
                                   "(x <= y)",
                                   "x.*member",
                                   "\xC3\xA9t\xC3\xA9"}) {
      EXPECT_EQ(refused(expression, language), "") << language;
    }
  }
}

TEST(DirectiveExpression, ChangesNothing) {
  for (const char* language : {"cpp", "cuda"}) {
    for (const char* expression : {"q++",
                                   "--q",
                                   "q=7",
                                   "q+=1",
                                   "q<<=1",
                                   "(q=7)",
                                   "(a,b)",
                                   "(new T)",
                                   "(delete p)",
                                   "f(new T[2])",
                                   "[&]{}",
                                   "[]{}()",
                                   "f([](int x) { return x; })",
                                   "m[(i=2)]",
                                   "x.~T()",
                                   "(... , f(xs))",
                                   "(xs += ...)",

                                   "(co_await t)",
                                   "T{q++}",
                                   "(a and_eq b)"}) {
      EXPECT_TRUE(has(refused(expression, language), "is not allowed after @inspect; write names"))
          << expression;
    }
  }
  EXPECT_TRUE(has(refused("f(a, i++)"), "105: 'i++' is not allowed")) << refused("f(a, i++)");
  EXPECT_TRUE(has(refused("m[j=1].x"), "102: 'j=1' is not allowed")) << refused("m[j=1].x");
}

TEST(DirectiveExpression, IsOne) {
  for (const char* expression : {"+", "x.operator=(1)", "for", "x+", "throw", "(throw 1)", "new", "co_await",
                                 "return", "int", "x y", "a..b", "x; y", "};void(g){"}) {
    EXPECT_NE(refused(expression), "") << expression;
  }
  EXPECT_TRUE(has(refused("+"), "100: '+' after @inspect is not an expression"));
  for (const char* expression : {"1", "(1 + 2)", "\"text\"", "true"})
    EXPECT_TRUE(has(refused(expression), "names no variable")) << expression;
}

Instrumented with(const std::string& line) {
  return instrument_text("int f(int n) {\n" + line + "\n  return n;\n}\n");
}

TEST(Directives, ThatWouldChangeTheProgramAreErrors) {
  EXPECT_TRUE(
      has(errors_of(with("  int q = 1;  // @inspect n q++")), "2:29: 'q++' is not allowed after @inspect"));
  EXPECT_TRUE(has(errors_of(with("  n = 5;  // @full n=7")), "2:20: 'n=7' is not allowed after @full"));
  EXPECT_TRUE(has(errors_of(with("  n = 5;  // @clear n--")), "2:21: 'n--' is not allowed after @clear"));
  const std::string sum = errors_of(with("  n = 5;  // @inspect n + 1"));
  EXPECT_TRUE(has(sum, "2:25: '+' after @inspect is not an expression")) << sum;
  EXPECT_TRUE(has(sum, "as in (a + b)")) << sum;
  EXPECT_EQ(errors_of(with("  n = 5;  // @inspect (n + 1)")), "");
}

TEST(Directives, NamesThatAreNowhereAreErrors) {
  EXPECT_TRUE(
      has(errors_of(with("  n = 1;  // @inspect n @clear zz")), "2:32: @clear zz: nothing in this file"));
  EXPECT_TRUE(
      has(errors_of(with("  n = 1;  // @volatile nosuch")), "2:24: @volatile nosuch: nothing in this file"));
  EXPECT_TRUE(
      has(errors_of(with("  n = 1;  // @tol rel=1e-3 n alsonot")), "2:30: @tol alsonot: nothing in this"));
  EXPECT_TRUE(has(errors_of(with("  n = 1;  // zz @clear zz")), "@clear zz")) << "comments declare nothing";
}

TEST(Directives, NamesThatNothingShowsAreWarnedAbout) {
  const Instrumented cleared = with("  int q = n;  // @clear q");
  EXPECT_EQ(errors_of(cleared), "");
  EXPECT_TRUE(has(warnings_of(cleared), "2:25: @clear q: nothing named q is inspected in this function"));
  const Instrumented elsewhere = with("  int q = n;  // @inspect q\n  n = 2;  // @volatile q @tol rel=1 q");
  EXPECT_EQ(errors_of(elsewhere), "");
  EXPECT_TRUE(has(warnings_of(elsewhere), "3:24: @volatile q: this statement neither shows nor inspects q"));
  EXPECT_TRUE(has(warnings_of(elsewhere), "3:37: @tol q: this statement neither shows nor inspects q"));
  EXPECT_TRUE(has(warnings_of(instrument_text(
                      "void f(int n) {\n  n = 1;  // @inspect n\n}\nvoid g(int n) {\n  n = 2;  // "
                      "@clear n\n}\n")),
                  "5:21: @clear n"));
}

TEST(Directives, NamesThatMayBeRightAreNot) {
  for (const char* line : {
           "  n = 1;  // @inspect from_another_header @volatile from_another_header",
           "  n = 1;  // @inspect w.grad()\n  n = 2;  // @clear w.grad()",
           "  for (int i = 0; i < n; ++i) {\n    n = i;  // @clear later\n    n += 1;  // @inspect later\n  "
           "}",
           "  inspect(n);\n  n = 2;  // @clear n",
           "  auto [a, b] = g();  // @volatile a @tol rel=1e-3 b",
           "  text(\"mean {}\", x.mean());  // @volatile x.mean()",
           "  assert(loss < 3);  // @tol rel=1e-3 loss",
           "  if (n > 1) n = 2;  // @inspect n @volatile n",
           "  for (int i = 0; i < n; ++i) n += i;  // @inspect i n @volatile i @tol rel=1 n",
           "  n = 1;  // @volatile * @tol rel=1 *",
           "  n = 1;  // @volatile",
           "  if (n) {  // @inspect n @volatile n\n    n = 1;\n  } else {\n    n = 2;\n  }",
       }) {
    const Instrumented file = with(line);
    EXPECT_EQ(errors_of(file) + warnings_of(file), "") << line;
  }
  const std::string source = "void f() {\n  int n = 1;\n  n = 2;  // @clear n\n}\n";
  EXPECT_EQ(warnings_of(instrument_text(source, true)), "") << "all are inspected";
}

TEST(Directives, OfALineMarkWhatTheLineSteps) {
  const std::string line = "  for (int i = 0; i < n; ++i) g(i);  // @hide\n";
  const std::string tables = with(line).text;
  EXPECT_TRUE(has(tables, "{0, {2, 3, 2, 30}, ::lectern::SiteKind::loop, true, false,")) << tables;
  EXPECT_TRUE(has(tables, "{0, {2, 31, 2, 36}, ::lectern::SiteKind::statement, true, false,")) << tables;
  const std::string whole = with("  for (int i = 0; i < n; ++i) g(i);  // @hide @stepover\n").text;
  EXPECT_TRUE(has(whole, "{0, {2, 3, 2, 36}, ::lectern::SiteKind::loop, true, true,")) << whole;
  const std::string below = with("  for (int i = 0; i < n; ++i)\n    g(i);  // @stepover\n").text;
  EXPECT_TRUE(has(below, "{0, {2, 3, 2, 30}, ::lectern::SiteKind::loop, false, false,")) << below;
  EXPECT_TRUE(has(below, "{0, {3, 5, 3, 10}, ::lectern::SiteKind::statement, false, true,")) << below;
}

TEST(DirectiveChecks, WhatTheHeaderOfASwitchDeclares) {
  const auto errors = [](const std::string& header) {
    return errors_of(
        instrument_text("void f(int n) {\n  switch (" + header + "\n    case 1: g();\n  }\n}\n"));
  };
  constexpr const char* why =
      ": the header of this switch declares k, and nothing can be shown between the header and a case; write "
      "the "
      "directive in a case\n";
  EXPECT_EQ(errors("int k = n * 2; k) {  // @inspect n k"), "2:46: @inspect k" + std::string(why));
  EXPECT_EQ(errors("int k = n * 2) {  // @full k+n"), "2:38: @full k+n" + std::string(why));
  for (const char* header : {"n) {  // @inspect n", "n = g()) {  // @inspect n",
                             "int k = n; k) {  // @inspect n *", "int k = n; k) {  // @volatile k"})
    EXPECT_EQ(errors(header), "") << header;
}

}  // namespace
}  // namespace lectern
