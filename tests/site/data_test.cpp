#include "site/data.h"

#include <limits>
#include <map>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "site/number_column.h"
#include "site/trace_builder.h"
#include "trace/decode.h"

namespace lectern {
namespace {

using test::Page;
using test::TraceBuilder;

/// A column's numbers: differences as base 64 VLQ, the slow and obvious way.
std::vector<int> numbers(const Json& column) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int> numbers;
  std::int64_t before = 0, quantity = 0, factor = 1;
  for (const char c : column.get<std::string>()) {
    const auto digit = static_cast<std::int64_t>(kDigits.find(c));
    quantity += factor * (digit % 32);
    factor *= 32;
    if (digit >= 32) continue;
    before += quantity % 2 == 0 ? quantity / 2 : -(quantity / 2);
    numbers.push_back(static_cast<int>(before));
    quantity = 0;
    factor = 1;
  }
  return numbers;
}

Json bindings(const Json& names, const Json& columns) {
  Json table = Json::object();
  const std::vector<int> steps = numbers(columns["steps"]), name = numbers(columns["names"]),
                         value = numbers(columns["values"]);
  EXPECT_TRUE(steps.size() == name.size() && steps.size() == value.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    table[std::to_string(steps[i])].push_back(
        Json::array({names[static_cast<std::size_t>(name[i])], value[i]}));
  return table;
}

Json by_step(const Json& columns) {
  Json table = Json::object();
  const std::vector<int> steps = numbers(columns["steps"]), all = numbers(columns["numbers"]);
  EXPECT_EQ(steps.size(), all.size());
  for (std::size_t i = 0; i < steps.size(); ++i) table[std::to_string(steps[i])] = all[i];
  return table;
}

Json value_list(const Json& columns) {
  std::vector<std::string> texts;
  std::istringstream lines(columns["texts"].get<std::string>());
  for (std::string line; std::getline(lines, line);) texts.push_back(line);
  const std::vector<int> type = numbers(columns["type"]), text = numbers(columns["text"]),
                         html = numbers(columns["html"]);
  Json values = Json::array();
  for (std::size_t i = 0; i < type.size(); ++i)
    values.push_back(Json::array({columns["types"][static_cast<std::size_t>(type[i])],
                                  texts.at(static_cast<std::size_t>(text[i])), html[i]}));
  return values;
}

/// What the script would get, the argument of the one call; columns as lists, and as objects by step what
/// only some steps have.
Json argument(const std::string& script) {
  constexpr std::string_view kBegin = "lectern(", kEnd = ");\n";
  EXPECT_TRUE(script.starts_with(kBegin));
  EXPECT_TRUE(script.ends_with(kEnd));
  Json data = Json::parse(script.substr(kBegin.size(), script.size() - kBegin.size() - kEnd.size()));
  for (const char* name : {"at", "in", "after"}) data[name] = numbers(data[name]);
  for (const char* name : {"args", "vars", "left", "clear"}) data[name] = bindings(data["names"], data[name]);
  for (const char* name : {"show", "claims", "out"}) data[name] = by_step(data[name]);
  for (const char* name : {"parents", "calls", "functions"})
    data["stacks"][name] = numbers(data["stacks"][name]);
  data["values"] = value_list(data["values"]);
  return data;
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
  EXPECT_EQ(data["stacks"],
            Json::parse(R"({"calls":[-1,1],"functions":[0,1],"names":{"1":"f<int>"},"parents":[-1,0]})"));
  EXPECT_EQ(data["at"], Json::parse("[1,0,1,2]"));
  EXPECT_EQ(data["in"], Json::parse("[0,1,0,0]"));
  EXPECT_EQ(data["enter"], Json::parse("{}")) << "a deeper stack tells it";
  EXPECT_EQ(data["after"], Json::parse("[2]"));
  EXPECT_EQ(data["vars"], Json::parse(R"({"2":[["x",0]]})"));
  EXPECT_EQ(data["clear"], Json::parse(R"({"2":[["y",-1]]})"));
  EXPECT_EQ(data["ended"], -1);
  EXPECT_EQ(data["values"][0][0], "int");
  EXPECT_EQ(data["values"][0][1], "1");
  EXPECT_EQ(data["html"][data["show"]["3"].get<std::size_t>()], "<div class=\"prose\"><p>t</p></div>");
  EXPECT_EQ(data["html"][data["out"]["2"].get<std::size_t>()], "<pre class=\"printed\">o</pre>");
}

TEST(Data, TellsWhatIsInScope) {
  TraceBuilder builder("int main() {\n  int x = 1;\n  while (g()) {\n    int x = 2;\n  }\n  h();\n}\n");
  const int outer = builder.site("int x = 1;"), loop = builder.site("while (g())", SiteKind::loop),
            inner = builder.site("int x = 2;"), end = builder.site("h();");
  builder.trace.sites[1].body = 1;
  builder.trace.sites[2].locals.emplace_back("x", 0);
  builder.step(outer, R"({"args":{"n":{"type":"int","value":3}},"vars":{"x":{"type":"int","value":1}}})");
  builder.step(loop).step(inner, R"({"vars":{"x":{"type":"int","value":2}}})").step(loop).step(end);
  const Json data = argument(page_data(builder.trace, Page(builder.trace).steps));
  EXPECT_EQ(data["args"], Json::parse(R"({"0":[["n",0]]})"));
  EXPECT_EQ(data["vars"], Json::parse(R"({"0":[["x",1]],"2":[["x",2]]})"));
  EXPECT_EQ(data["left"], Json::parse(R"({"3":[["x",1]]})")) << "the variable that it hid is there again";
  EXPECT_EQ(data["sites"][1][6], 1);
  EXPECT_EQ(data["sites"][0].size(), 6U);
}

TEST(Data, TellsWhatWasEnteredWhereTheStackDoesNot) {
  TraceBuilder builder("void f() { a; }\nint main() {\n  f(), f();\n}\n");
  const int f = builder.function("void f()", "}", "f");
  const int inside = builder.site("a;"), call = builder.site("f(), f();");
  builder.trace.stacks.push_back({f, {}, 0, call, 2});
  builder.step(call).step(inside).step(inside).step(inside);
  for (std::size_t step = 1; step <= 3; ++step) builder.trace.steps[step].stack = 1;
  for (const std::size_t step : {0UL, 1UL, 3UL}) builder.trace.steps[step].enter = 1;
  const Json data = argument(page_data(builder.trace, Page(builder.trace).steps));
  EXPECT_EQ(data["enter"], Json::parse(R"({"3":1})")) << "the same stack again";
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

TEST(Data, FragmentsBeyondTheFirstAreInFilesOfTheirOwn) {
  TraceBuilder builder("text(x);\n");
  const int site = builder.site("text(x);", SiteKind::hook);
  constexpr int kSteps = 180;
  const std::string evil = "</script><script>alert(1)</script><!--\u2028";
  for (int i = 0; i < kSteps; ++i) {
    const std::string text = Json(evil + std::to_string(i) + std::string(10000, '.')).dump();
    builder.step(site, R"({"vars":{"x":{"type":"std::string","value":)" + text +
                           R"(}},"claims":[{"ok":true,"text":"claim )" + std::to_string(i) + R"("}]})");
  }
  const Page page(builder.trace);
  std::map<std::string, Json> files;
  const std::string script = page_data(
      builder.trace, page.steps, {[&](const std::string& name, const std::string& file) {
        constexpr std::string_view kBegin = "lecternFragments(", kEnd = ");\n";
        ASSERT_TRUE(file.starts_with(kBegin) && file.ends_with(kEnd));
        EXPECT_EQ(file.find('<'), std::string::npos);
        files[name] = Json::parse(file.substr(kBegin.size(), file.size() - kBegin.size() - kEnd.size()));
        EXPECT_LT(file.size(), 2 * kFragmentsOfFile);
      }});
  EXPECT_LT(script.size(), 2 * kFragmentsAtStart);
  const Json data = argument(script);
  EXPECT_EQ(data["files"].size(), files.size());
  EXPECT_GT(files.size(), 4U);
  Json html = data["html"];
  for (const Json& file : data["files"]) {
    EXPECT_EQ(file[0], html.size()) << "they follow each other";
    EXPECT_EQ(files[file[1].get<std::string>()]["first"], file[0]);
    for (const Json& fragment : files[file[1].get<std::string>()]["html"]) html.push_back(fragment);
  }
  EXPECT_EQ(html.size(), page.steps.html.all().size());
  for (int i = 0; i < kSteps; ++i) {
    const std::string step = std::to_string(i);
    const auto value = data["vars"][step][0][1].get<std::size_t>();
    const auto fragment = html[data["values"][value][2].get<std::size_t>()].get<std::string>();
    EXPECT_NE(fragment.find(">" + step + "..."), std::string::npos) << fragment.substr(0, 200);
    EXPECT_LT(data["claims"][step], data["html"].size()) << "claims are at hand";
  }
  EXPECT_EQ(argument(page_data(builder.trace, page.steps))["html"].size(), html.size())
      << "all in one script where nothing takes files";
}

TEST(Data, ManyFragmentsAreCompressed) {
  TraceBuilder builder("text(x);\n");
  const int site = builder.site("text(x);", SiteKind::hook);
  for (int i = 0; i < 50; ++i) {
    const std::string text = Json(std::to_string(i) + std::string(100000, '.')).dump();
    builder.step(site, R"({"vars":{"x":{"type":"std::string","value":)" + text + "}}}");
  }
  const Page page(builder.trace);
  const auto expect_files = [&](bool packs) {
    std::size_t files = 0;
    page_data(builder.trace, page.steps,
              {[&](const std::string&, const std::string& file) {
                 ++files;
                 EXPECT_EQ(file.find("\"packed\":\"") != std::string::npos, packs);
                 EXPECT_EQ(file.size() < kFragmentsOfFile / 10, packs);
               },
               packs});
    EXPECT_GT(files, 10U);
  };
  expect_files(true);
  expect_files(false);
}

TEST(Data, ColumnsHoldAllNumbers) {
  const std::vector<int> all{
      0, -1, 1, 15, 16, -16, 1 << 30, std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 0};
  EXPECT_EQ(numbers(number_column(all)), all);
  EXPECT_EQ(number_column({}), "");
  EXPECT_EQ(number_column({5, 6, 7, 8}), "KCCC") << "a character for a step of one";
}

TEST(Data, ATextOfSeveralLinesIsOneLine) {
  TraceBuilder builder("f();\n");
  builder.step(builder.site("f();"),
               R"({"vars":{"a":{"type":"Odd","text":"one\ntwo"},"b":{"type":"int","value":3}}})");
  const Page page(builder.trace);
  const Json data = argument(page_data(builder.trace, page.steps));
  EXPECT_EQ(data["values"].size(), 2u);
  EXPECT_EQ(data["values"][1][1], "3") << "the texts after it are where they belong";
}

TEST(Data, AnEmptyTraceIsStillACall) {
  TraceBuilder builder("int x;\n");
  const Page page(builder.trace);
  const Json data = argument(page_data(builder.trace, page.steps));
  EXPECT_TRUE(data["at"].empty());
}

}  // namespace
}  // namespace lectern
