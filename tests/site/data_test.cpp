#include "site/data.h"

#include <chrono>

#include <gtest/gtest.h>

#include "site/trace_builder.h"
#include "trace/decode.h"

namespace lectern {
namespace {

using testing::Page;
using testing::TraceBuilder;

/// What the script would get: the argument of the one call.
Json argument(const std::string& script) {
  constexpr std::string_view kBegin = "lectern(", kEnd = ");\n";
  EXPECT_TRUE(script.starts_with(kBegin));
  EXPECT_TRUE(script.ends_with(kEnd));
  return Json::parse(script.substr(kBegin.size(), script.size() - kBegin.size() - kEnd.size()));
}

TEST(Data, HoldsTheSteps) {
  TraceBuilder builder("int f() {\n  return 1;\n}\nint main() {\n  int x = f();\n  text(\"t\");\n}\n");
  const int f = builder.function("int f()", "}", "f");
  const int ret = builder.site("return 1;", SiteKind::return_);
  const int call = builder.site("int x = f();");
  builder.trace.stacks.push_back({f, "f<int>", 0, call, 2});
  builder.step(call).step(ret).step(call,
                                    R"({"vars":{"x":{"type":"int","value":1}},"clear":["y"],"out":"o"})");
  builder.hook("text(\"t\");", R"([{"kind":"text","markdown":"t"}])");
  builder.trace.steps[0].enter = 1;
  builder.trace.steps[1].enter = 1;
  builder.trace.steps[1].stack = 1;
  builder.trace.steps[2].after = true;
  const Page page(builder.trace);
  const Json data = argument(page_data(builder.trace, page.steps));
  EXPECT_EQ(data["functions"], Json::parse(R"([["main",0,1,8],["f",0,1,3]])"));
  EXPECT_EQ(data["sites"].size(), 3u);
  EXPECT_EQ(data["sites"][0][1], 2);
  EXPECT_EQ(data["sites"][0][4], "return");
  EXPECT_EQ(data["sites"][2][4], "hook");
  EXPECT_TRUE(data["sites"][0][5].get<std::string>().starts_with("f~"));
  EXPECT_EQ(data["stacks"], Json::parse(R"([[-1,-1,0,"main"],[0,1,1,"f<int>"]])"));
  EXPECT_EQ(data["at"], Json::parse("[1,0,1,2]"));
  EXPECT_EQ(data["in"], Json::parse("[0,1,0,0]"));
  EXPECT_EQ(data["enter"], Json::parse(R"({"0":1,"1":1})"));
  EXPECT_EQ(data["after"], Json::parse("[2]"));
  EXPECT_EQ(data["vars"], Json::parse(R"({"2":[["x",0]]})"));
  EXPECT_EQ(data["clear"], Json::parse(R"({"2":["y"]})"));
  EXPECT_EQ(data["ended"], -1);
  EXPECT_EQ(data["values"][0][0], "int");
  EXPECT_EQ(data["values"][0][1], "1");
  EXPECT_EQ(data["html"][data["show"]["3"].get<std::size_t>()], "<div class=\"prose\"><p>t</p></div>");
  EXPECT_EQ(data["html"][data["out"]["2"].get<std::size_t>()], "<pre class=\"printed\">o</pre>");
}

TEST(Data, TellsWhereAStepsOutputIsCut) {
  TraceBuilder builder("f();\n");
  const int f = builder.site("f();");
  builder.step(f, R"({"out":"o","out_cut":1234,"err":"e"})").step(f, R"({"out_cut":7})");
  builder.step(f, R"({"out":"o","out_cut":"<b>"})").step(f, R"({"out":"o","out_cut":2})");
  builder.trace.end.out = {"child"};
  const Page page(builder.trace);
  const Json data = argument(page_data(builder.trace, page.steps));
  const auto shown = [&](const char* step) { return data["html"][data["out"][step].get<std::size_t>()]; };
  EXPECT_EQ(
      shown("0"),
      "<pre class=\"printed\">o</pre><p class=\"cut\">output cut here: 1,234 more bytes were printed</p>"
      "<pre class=\"printed err\">e</pre>");
  EXPECT_EQ(shown("1"), "<p class=\"cut\">output cut here: 7 more bytes were printed</p>");
  EXPECT_EQ(shown("2"), "<pre class=\"printed\">o</pre>");
  EXPECT_EQ(shown("3"),
            "<pre class=\"printed\">o</pre><p class=\"cut\">output cut here: 2 more bytes were printed</p>"
            "<pre class=\"printed\">child</pre>");
}

TEST(Data, EqualValuesAndFragmentsAreThereOnce) {
  TraceBuilder builder("text(x);\n");
  const int site = builder.site("text(x);", SiteKind::hook);
  for (int i = 0; i < 1000; ++i) {
    const std::string n = std::to_string(i % 2);
    builder.step(site, R"({"vars":{"a":{"type":"int","value":)" + n +
                           R"(},"b":{"type":"int","value":0}},"show":[{"kind":"text","markdown":")" + n +
                           R"("}]})");
  }
  const Page page(builder.trace);
  const Json data = argument(page_data(builder.trace, page.steps));
  EXPECT_EQ(data["values"].size(), 2u);
  EXPECT_EQ(data["html"].size(), 4u);
  EXPECT_EQ(data["show"].size(), 1000u);
}

TEST(Data, AnEmptyTraceIsStillACall) {
  TraceBuilder builder("int x;\n");
  const Page page(builder.trace);
  const Json data = argument(page_data(builder.trace, page.steps));
  EXPECT_TRUE(data["at"].empty());
}

TEST(Data, FiftyThousandStepsASecond) {
  TraceBuilder builder("int x = f();\ntext(x);\n");
  const int x = builder.site("int x = f();");
  const int text = builder.site("text(x);", SiteKind::hook);
  constexpr int kSteps = 20000;
  for (int i = 0; i < kSteps / 2; ++i) {
    const std::string n = std::to_string(i);
    builder.step(x, R"({"vars":{"x":{"type":"int","value":)" + n + "}}}");
    builder.step(text, R"({"show":[{"kind":"text","markdown":"now *)" + n + R"(*"}]})");
  }
  const auto begin = std::chrono::steady_clock::now();
  const Page page(builder.trace);
  const std::string script = page_data(builder.trace, page.steps);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_GT(script.size(), static_cast<std::size_t>(kSteps));
  RecordProperty("steps_per_second", std::to_string(static_cast<int>(kSteps / seconds)));
  // A tenth of the bar, for slow machines and sanitizers; the figure itself is among the test's properties.
  EXPECT_LT(seconds, 10.0 * kSteps / 50000);
}

}  // namespace
}  // namespace lectern
