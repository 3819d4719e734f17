#include <algorithm>
#include <ctime>

#include <gtest/gtest.h>

#include "base/files.h"
#include "instrument/instrumented.h"

namespace lectern {
namespace {

TEST(Strip, GivesTheOriginalBytes) {
  const std::string sources[] = {
      "",
      "\n",
      "int x;",
      "int main() { return 0; }",
      "int main() {\r\n\tfor (;;) break; // @inspect x\r\n}\r\n",
      "\xEF\xBB\xBFint main() { f(\"\xff\xfe\"); /* \x80 */ g(); }\n",
      "#include <cassert>\n#include \"a.h\" // why\nvoid f() { if (a) b(); else if (c) d(); else e(); "
      "assert(x == 1); }",
      "int main() { text(\"\xE4\xBD\xA0\"); x = 1; /* @inspect x */ }\n",
  };
  for (const std::string& source : sources) {
    const Instrumented file = instrument_text(source);
    EXPECT_EQ(errors_of(file), "") << source;
    EXPECT_EQ(strip_probes(file.text), source);
    EXPECT_EQ(strip_probes(instrument_text(source, true).text), source);
  }
}

TEST(Strip, RefusesADamagedMarker) {
  EXPECT_THROW(strip_probes("/*lectern:x*/"), Error);
}

TEST(Names, AreQualified) {
  const std::string text =
      instrument_text(
          "namespace a::b { struct S { void m() { auto l = [] { f(); }; g([] { h(); }); struct L { void n() "
          "{} }; } S() {} ~S() {}\n"
          "  operator bool() { return true; } int operator()(int x) { return x; } }; }\n"
          "template <class T> void Box<T>::get() {}\nauto lam = [](int x) { return x; };\n")
          .text;
  for (const char* name :
       {"a::b::S::m", "a::b::S::m::l", "a::b::S::m::(lambda)", "a::b::S::m::L::n", "a::b::S::S",
        "a::b::S::~S", "a::b::S::operator bool", "a::b::S::operator()", "Box::get", "lam"}) {
    EXPECT_TRUE(has(text, "{\"" + std::string(name) + "\", {")) << name;
  }
}

TEST(Names, AreReadBeforeAttributes) {
  EXPECT_TRUE(has(instrument_text("int get [[nodiscard]] () { return 1; }\n").text, "{\"get\", {"));
}

TEST(Names, TemplatesPassTheirInstantiatedName) {
  EXPECT_TRUE(has(instrument_text("template <class T> void f() { g(); }\n").text, "__PRETTY_FUNCTION__"));
  EXPECT_TRUE(has(instrument_text("void f(auto x) { g(); }\n").text, "__PRETTY_FUNCTION__"));
  EXPECT_TRUE(has(instrument_text("auto f = [](auto x) { g(); };\n").text, "__PRETTY_FUNCTION__"));
  EXPECT_FALSE(has(instrument_text("void f() { g(); }\n").text, "__PRETTY_FUNCTION__"));
}

TEST(Kinds, OfStatements) {
  const std::string text = instrument_text(
                               "int f(int x) { text(\"a\"), lectern::image(\"b\"); assert(x); if (x) throw "
                               "1; for (;;) break; x = 2; return x; }\n")
                               .text;
  for (const char* kind : {"hook", "claim", "branch", "throw_", "loop", "jump", "statement", "return_"}) {
    EXPECT_TRUE(has(text, "Kind::" + std::string(kind) + ",")) << kind;
  }
}

constexpr const char* kCaught = "} catch (...) { ::lectern::probe::caught(); }";

/// How many statements of a program, which ends with this text, may throw without ending the run.
int guarded(const std::string& text, const std::string& header = "<lectern/exercise.h>") {
  const std::string source = "#include " + header + "\n" + text;
  const Instrumented file = instrument_text(source);
  EXPECT_EQ(errors_of(file), "") << source;
  EXPECT_EQ(strip_probes(file.text), source);
  int count = 0;
  for (std::size_t at = 0; (at = file.text.find(kCaught, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Exercises, GuardClaimsAndWhatMainCalls) {
  EXPECT_EQ(guarded("void f() { assert(g() == 1); assert(g()); g(); int x = g(); }\n"), 2);
  EXPECT_EQ(guarded("void f() { if (a) assert(b); else assert(c == d); for (;;) assert(e); }\n"), 3);
  EXPECT_EQ(guarded("int main() { f(); int x = f(); x = f(); text(\"a\"); throw 1; return 0; }\n"), 2);
  EXPECT_EQ(guarded("int main() { if (a) f(); auto g = [] { f(); assert(b); }; }\n"), 2)
      << "no lambda's calls";
  EXPECT_EQ(guarded("constexpr int f() { assert(a); return 1; }\n"), 0);
  EXPECT_EQ(guarded("int main() { void (*f)() = nullptr; f(); }\n"), 1) << "the parser takes it for a call";
}

TEST(Exercises, AreFilesThatIncludeTheirHeader) {
  const std::string text = "int main() { f(); assert(a == 1); assert(a); }\n";
  EXPECT_EQ(guarded(text), 3);
  EXPECT_EQ(guarded(text, "<lectern/lecture.h>"), 0);
  EXPECT_EQ(guarded(text, "\"lectern/exercise.h\""), 0) << "a file beside the lecture";
  const auto source = [](const std::string& header) {
    const std::string written = instrument_text("#include " + header + "\nint main() {}\n").text;
    const std::size_t begin = written.find("inline ::lectern::probe::Source source{");
    return written.substr(begin, written.find('\n', begin) - begin);
  };
  EXPECT_TRUE(has(source("<lectern/exercise.h>"), ", nullptr, 0, true};")) << source("<lectern/exercise.h>");
  EXPECT_FALSE(has(source("<lectern/lecture.h>"), "true}"));
}

TEST(Kinds, AFunctionOfTheLectureIsNoHook) {
  EXPECT_FALSE(has(instrument_text("void text(int) {}\nvoid f() { text(1); }\n").text, "Kind::hook"));
  EXPECT_TRUE(has(instrument_text("void text(int) {}\nvoid f() { lectern::text(1); }\n").text, "Kind::hook"));
  EXPECT_FALSE(has(instrument_text("void f() { text(\"a\"), g(); }\n").text, "Kind::hook"));
}

TEST(Hooks, InspectGetsTheTextOfItsArguments) {
  const std::string text = body_of(instrument_text("void f() { inspect(x, m[1, 2]); }\n"));
  EXPECT_TRUE(has(text, "::lectern::named(\"x\"), "));
  EXPECT_TRUE(has(text, "::lectern::named(\"m[1, 2]\"), "));
  EXPECT_FALSE(has(body_of(instrument_text("void inspect(int);\nvoid f() { inspect(x); }\n")), "named"));
}

TEST(Hooks, LinkGetsTheNameOfWhatMayBeAFunction) {
  EXPECT_TRUE(has(body_of(instrument_text("void train();\nvoid f() { link(train); }\n")),
                  "::lectern::named(\"train\"), "));
  // Another file may declare it.
  EXPECT_TRUE(
      has(body_of(instrument_text("void f() { link(lm::train); }\n")), "::lectern::named(\"lm::train\"), "));
  EXPECT_FALSE(has(body_of(instrument_text("void f(const char* url) { link(url); }\n")), "named"));
  EXPECT_FALSE(has(body_of(instrument_text("void f() { link(url, label); }\n")), "named"));
  EXPECT_FALSE(has(body_of(instrument_text("void f() { auto link = [](int) {}; link(x); }\n")), "named"));
  EXPECT_FALSE(has(body_of(instrument_text("void train();\nvoid f() { link(train()); }\n")), "named"));
}

TEST(Directives, BecomeFlagsOfTheSite) {
  const std::string text = instrument_text(
                               "void f() {\n  g();  // @stepover @hide\n  x = 1;  // @volatile t u @tol "
                               "rel=1e-3 abs=0 x @tol abs=2 y\n  y = 2;  // @volatile\n}\n")
                               .text;
  EXPECT_TRUE(has(text, "{2, 3, 2, 7}, ::lectern::SiteKind::statement, true, true, nullptr}")) << text;
  EXPECT_TRUE(has(text,
                  "false, false, \"{\\\"volatile\\\":[\\\"t\\\",\\\"u\\\"],\\\"tolerance\\\":"
                  "[{\\\"names\\\":[\\\"x\\\"],\\\"rel\\\":0.001,\\\"abs\\\":0.0},"
                  "{\\\"names\\\":[\\\"y\\\"],\\\"rel\\\":0.0,\\\"abs\\\":2.0}]}\"}"))
      << text;
  EXPECT_TRUE(has(text, "false, false, \"{\\\"volatile\\\":[\\\"*\\\"]}\"}"));
}

TEST(Asserts, OneSimpleComparisonIsTakenApart) {
  const auto compares = [](const std::string& claim) {
    return has(instrument_text("#include <cassert>\nvoid f() { assert(" + claim + "); }\n").text,
               "ASSERT_COMPARE");
  };
  for (const char* claim :
       {"a == b", "f(x) != y + 1", "a.size() < c[0]", "(a && b) == c", "x <= 3", "!a == b"}) {
    EXPECT_TRUE(compares(claim)) << claim;
  }
  for (const char* claim :
       {"a", "a && b == c", "a == b == c", "(a == b)", "x = y", "a ? b : c", "!(a == b)", "p == nullptr",
        "v == V{1, 2}", "f([] { return 1; }) == 1", "(a <=> b) == 0 || c"}) {
    EXPECT_FALSE(compares(claim)) << claim;
  }
  EXPECT_FALSE(
      has(instrument_text("constexpr int f(int n) { assert(n == 1); return n; }\n").text, "ASSERT_COMPARE"));
}

TEST(Asserts, AreRedefinedAfterEachRunOfIncludes) {
  const std::string text =
      body_of(instrument_text("#include <a>\n#include <b>\n\nint x;\n#include <cassert>\nint y;\n"));
  const std::string definition = "#undef assert\n#define assert(...) LECTERN_ASSERT(__VA_ARGS__)\n";
  EXPECT_TRUE(has(text, "#include <a>\n#include <b>/*lectern:")) << text;
  std::size_t count = 0;
  for (std::size_t at = text.find(definition); at != std::string::npos; at = text.find(definition, at + 1))
    ++count;
  EXPECT_EQ(count, 2U);
  EXPECT_FALSE(has(body_of(instrument_text("#define assert(x) check(x)\nvoid f() { assert(a == b); }\n")),
                   "#undef assert"));
}

TEST(Tables, HoldLinesAndFunctions) {
  const std::string text = instrument_text(
                               "\xEF\xBB\xBFnamespace n { struct P { void m() {} }; }\r\nint q; // ?"
                               "?/ \"\\\n")
                               .text;
  EXPECT_TRUE(has(text, "\"namespace n { struct P"));
  EXPECT_TRUE(has(text, "classes[] = {\n\"n::P\",\n}")) << text;
  EXPECT_TRUE(has(text, "\"int q; // \\?\\?/ \\\"\\\\\",\n"));
  EXPECT_TRUE(has(
      text, "source{\"test.cpp\", \"/lecture\", \"cpp\", lines, 2, functions, 1, nullptr, 0, classes, 1}"))
      << text;
}

/// What shows the fields of the classes in a source: "x y f".
std::string fields_in(std::string_view source) {
  const std::string text = body_of(instrument_text(source));
  std::string fields;
  for (std::size_t at = text.find("LECTERN_FIELD("); at != std::string::npos;
       at = text.find("LECTERN_FIELD(", at + 1)) {
    const std::size_t begin = at + 14;
    fields += (fields.empty() ? "" : " ") + text.substr(begin, text.find(')', begin) - begin);
  }
  return fields;
}

TEST(Fields, OfEveryClassWithAName) {
  EXPECT_EQ(fields_in("struct P { int x, *y; static int s; double z[2]; void m() {} int (*f)(int); };\n"),
            "x y z f");
  EXPECT_EQ(fields_in("template <class T> class B { T held_; int bits : 3; friend class C; };\n"),
            "held_ bits");
  EXPECT_EQ(fields_in("void f() { struct L { int& r; }; }\n"), "r");
  EXPECT_EQ(fields_in("class O { class I { int a; }; I b; };\n"), "b a");
  EXPECT_EQ(fields_in("struct S { int a; union { int i; float f; }; };\n"), "a");
  EXPECT_EQ(fields_in("struct C {\n#if X\n  int i;\n#else\n  long i;\n#endif\n  int j;\n};\n"), "i j");
  EXPECT_EQ(fields_in("struct S { struct { int x; struct { int y; }; }; int z; };\n"), "x y z")
      << "those of an anonymous struct are the class's own";
  EXPECT_TRUE(has(body_of(instrument_text("struct S { union { int i; }; };\n")), "anonymous_union();"));
  EXPECT_FALSE(has(body_of(instrument_text("struct S { struct { int i; }; };\n")), "anonymous_union();"));
  EXPECT_EQ(fields_in("struct S { struct { int x; } in, more[2]; };\nstruct { int i; } unnamed;\n"),
            "in more x i");
  for (const char* without : {"struct E {};\n", "union U { int i; };\n", "typedef struct { int i; } T;\n"}) {
    EXPECT_FALSE(has(instrument_text(without).text, "_fields(")) << without;
  }
}

TEST(Fields, OfBasesComeFirst) {
  const std::string text =
      body_of(instrument_text("class D : private A<int, 2>, public virtual n::B { int d; };\n"));
  for (const char* part :
       {"lectern_out.base(static_cast<const A<int, 2>&>(lectern_self));",
        "lectern_out.base(static_cast<const n::B&>(lectern_self));", "public: ", " private:"}) {
    EXPECT_TRUE(has(text, part)) << part << " in " << text;
  }
  EXPECT_TRUE(has(body_of(instrument_text("template <class... B> struct M : B... {};\n")),
                  "(lectern_out.base(static_cast<const B&>(lectern_self)), ...);"));
}

TEST(CheckedAccess, LooksBeforeItTakes) {
  const auto shown = [](const std::string& expression) {
    std::string text = body_of(instrument_text("void f() {\n  g();  // @inspect " + expression + "\n}\n"));
    for (std::size_t at = text.find("\n#line"); at != std::string::npos; at = text.find("\n#line", at))
      text.erase(at, text.find_first_not_of(' ', text.find('\n', at + 1) + 1) - at);
    for (std::size_t at = text.find(" ::lectern::probe::"); at != std::string::npos;
         at = text.find(" ::lectern::probe::"))
      text.erase(at, 19);
    const std::string begin = ".show(\"" + expression + "\", ";
    const std::size_t at = text.find(begin);
    return at == std::string::npos ? text
                                   : text.substr(at + begin.size(), text.find("; ", at) - at - begin.size());
  };
  EXPECT_EQ(shown("v[5]"), "at(v,5))");
  EXPECT_EQ(shown("v[i][j]"), "at(at(v,i),j))");
  EXPECT_EQ(shown("v[w[2]].x"), "at(v,at(w,2)).x)");
  EXPECT_EQ(shown("p->m"), "target(p)->m)");
  EXPECT_EQ(shown("*p"), "*target(p))");
  EXPECT_EQ(shown("**p"), "*target(*target(p)))");
  EXPECT_EQ(shown("v.front()"), "filled(v).front())");
  EXPECT_EQ(shown("a/b%c"), "a/divisor<decltype(a)>(b)%divisor<decltype(a/b)>(c))");
  EXPECT_EQ(shown("m.at(1)"), "m.at(1))");
  EXPECT_EQ(shown("this->m"), "this->m)");
  EXPECT_TRUE(has(shown("(sizeof(v[5]) + n)"), "(sizeof(v[5]) + n)"));
}

TEST(Includes, QuotedOnesAreListed) {
  const Instrumented file = instrument_text(
      "#include \"a.h\"\n#ifndef G\n#include \"sub/b.h\"\n#endif\n#include <c>\nvoid f() {\n#include "
      "\"table.def\"\n}\n");
  ASSERT_EQ(file.includes.size(), 2U);
  EXPECT_EQ(file.includes[0].name, "a.h");
  EXPECT_EQ(file.includes[1].name, "sub/b.h");
  EXPECT_EQ(file.includes[1].place.line, 3);
}

TEST(Includes, InAFunctionAreAStepWithAWarning) {
  const std::string source =
      "void f() {\n  int a = 1;  // @inspect a\n#include \"body.inc\"  // @inspect a\n"
      "  switch (a) {\n#include \"cases.def\"\n    case 1:\n#include \"one.inc\"\n  }\n}\n";
  const Instrumented file = instrument_text(source);
  EXPECT_EQ(strip_probes(file.text), source);
  const std::string said = "what this file does here is not stepped";
  for (const char* place : {"3:1: ", "5:1: ", "7:1: "})
    EXPECT_TRUE(has(warnings_of(file), place + said)) << warnings_of(file);
  EXPECT_TRUE(has(body_of(file), "lectern_frame_0.at(1);\n#line 3\n#include \"body.inc\"")) << body_of(file);
  EXPECT_TRUE(has(body_of(file), "lectern_frame_0.at(3);\n#line 7\n#include \"one.inc\"")) << body_of(file);
  EXPECT_FALSE(has(body_of(file), "#line 5\n#include")) << "nothing runs before the first case";
}

TEST(Speed, AThousandLinesInFiftyMilliseconds) {
  const std::string one =
      "// A function of ten lines.  @note\nint f(int n) {\n  int sum = 0;\n  for (int i = 0; i < n; ++i) {\n"
      "    if (i % 2 == 0) sum += i;  // @inspect sum\n    else sum -= 1;\n  }\n  assert(sum > 0);\n  return "
      "sum;\n}\n";
  std::string source;
  for (int i = 0; i < 100; ++i) source += one;
  double best = 1e9;  // of the processor's time: other programs may be running
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();
    EXPECT_EQ(instrument_text(source).traced_functions, 100);
    best = std::min(best, 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  RecordProperty("milliseconds", std::to_string(best));
#ifdef NDEBUG  // an unoptimised or sanitized build may take longer
  EXPECT_LE(best, 50);
#endif
}

}  // namespace
}  // namespace lectern
