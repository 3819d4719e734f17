// What macros do with their arguments and with the braces after them.

#include "instrument/macros.h"

#include <gtest/gtest.h>

#include "instrument/instrumented.h"

namespace lectern {
namespace {

/// Whether a lambda in the arguments of a macro is left alone, with a warning.
bool is_left_alone(const std::string& definitions, const std::string& call) {
  const Instrumented file = instrument_text(definitions + "\nvoid f() { " + call + "([] { g(); }); }\n");
  EXPECT_EQ(file.traced_functions + file.untraced_functions, 2) << definitions;
  const bool warned = has(warnings_of(file), "a lambda in the arguments of a macro is not stepped");
  EXPECT_EQ(warned, file.untraced_functions == 1) << definitions;
  return warned;
}

TEST(Macros, ThatShowTheTextOfTheirArguments) {
  EXPECT_TRUE(is_left_alone("#define SHOW(x) #x", "SHOW"));
  EXPECT_TRUE(is_left_alone("#define STR(x) #x\n#define SHOW(x) g(STR(x))", "SHOW"));
  EXPECT_TRUE(is_left_alone("#define SHOW(x) g(STR(x))\n#define STR(x) STR2(x)\n#define STR2(x) #x", "SHOW"));
  EXPECT_TRUE(is_left_alone("#define SHOW(x) g(/* text */ #x)", "SHOW"));
  EXPECT_TRUE(is_left_alone("#define SHOW(x) \\\n  g( /* a */ \\\n  #x)", "SHOW"));
  EXPECT_TRUE(is_left_alone("#define SHOW(x) UNKNOWN(x)", "SHOW"));
  EXPECT_TRUE(is_left_alone("#define check(x) assert(x)", "check"));
  EXPECT_TRUE(is_left_alone("#define show(x) #x\n#define other show", "other"));
  EXPECT_TRUE(is_left_alone("#define show(x) set(#x)", "a.b->show"));
  EXPECT_TRUE(is_left_alone("#if A\n#define show(x) x\n#else\n#define show(x) #x\n#endif", "show"));
  EXPECT_TRUE(is_left_alone("", "UNKNOWN"));
}

TEST(Macros, ThatOnlyUseTheirArguments) {
  EXPECT_FALSE(is_left_alone("#define CALL(f) ((f)())", "CALL"));
  EXPECT_FALSE(is_left_alone("#define CALL(f, ...) f(0 __VA_OPT__(,) __VA_ARGS__)  // #", "CALL"));
  EXPECT_FALSE(is_left_alone("#define CALL(f) g(\"#\", f)", "CALL"));
}

TEST(Macros, AreFoundByTheirTokens) {
  const std::vector<Macro> macros =
      find_macros("#define A (1)\n  # define B(x, y) x \\\n  y // z\n#define C\n#undef D\nint define E;\n");
  ASSERT_EQ(macros.size(), 3U);
  EXPECT_EQ(macros[0].name, "A");
  EXPECT_FALSE(macros[0].has_parameters);
  EXPECT_EQ(macros[0].body, (std::vector<std::string>{"(", "1", ")"}));
  EXPECT_EQ(macros[1].name, "B");
  EXPECT_TRUE(macros[1].has_parameters);
  EXPECT_EQ(macros[1].body, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(macros[2].name, "C");
  EXPECT_TRUE(macros[2].body.empty());
}

TEST(Macros, GoOnAfterAComment) {
  for (const std::string definition :
       {"#define TWICE(x) /* first */ \\\n  do { g(x); /* then */ \\\n    g(x); \\\n  } while (0)\n",
        "#define MAKE(n) /* a function */ int n() { return 1; }\n",
        "#define SUM 1 /* and */ + 2  // three\n"}) {
    const Instrumented file = instrument_text(definition + "int main() { g(); }\n");
    EXPECT_EQ(warnings_of(file), "") << definition;
    EXPECT_TRUE(has(body_of(file), definition)) << file.text;
    EXPECT_EQ(file.traced_functions, 1) << definition;
  }
}

TEST(Macros, ThatOpenAClassOrNamespace) {
  constexpr const char* warning = "a macro may make a class or namespace of this";
  for (const char* text :
       {"#define STRUCT(n) struct n\nSTRUCT(A) { int a = 1; };\n",
        "#define STRUCT(n) struct n##_before {}; struct n\nSTRUCT(A) { int a = 1; };\n",
        "#define NS(n) namespace n\nNS(a) { void f() { g(); } }\n",
        "#define CLASS class\nCLASS A { int a = 1; };\n", "UNKNOWN(A) { int a = 1; };\n"}) {
    const Instrumented file = instrument_text(text);
    EXPECT_TRUE(has(warnings_of(file), warning)) << text;
    EXPECT_FALSE(has(body_of(file), "lectern_frame")) << text;
  }
  for (const char* text : {"#define TEST(n) struct n##_before {}; void n()\nTEST(a) { g(); }\n",
                           "#define TEST(n) void n(struct State& s)\nTEST(a) { g(); };\n",
                           "UNKNOWN(A) { int a = 1; }\n", "struct ABC { ABC(int n) { g(); }; };\n"}) {
    const Instrumented file = instrument_text(text);
    EXPECT_EQ(warnings_of(file), "") << text;
    EXPECT_TRUE(has(body_of(file), "lectern_frame")) << text;
  }
}

TEST(Macros, BetweenAClassAndItsName) {
  const Instrumented file = instrument_text(
      "class API A final : public B {\n  A() : b(1) { g(); }\n  int b;\n};\nstruct P p {1};\n");
  EXPECT_EQ(warnings_of(file), "");
  EXPECT_TRUE(has(file.text, "{\"A::A\", {2, 3, 2, 22}")) << file.text;
  EXPECT_TRUE(has(body_of(file), "LECTERN_FIELD(b)"));
}

}  // namespace
}  // namespace lectern
