#include "edtrace/import.h"

#include <array>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "edtrace/document.h"
#include "edtrace/fixtures.h"
#include "trace/decode.h"
#include "trace/encode.h"
#include "trace/identity.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace lectern {
namespace {

using test::fixture;

Json step_json(const Step& step) {
  return step.text.empty() ? Json::object() : Json::parse(step.text);
}

Trace import_fixture(const std::string& name) {
  return parse_edtrace(fixture(name), "traces/" + name);
}

/// A trace of one file whose steps are these lines of its functions: {{"main", 2}, {"f", 5}} is a stack.
using Frames = std::vector<std::pair<std::string, int>>;
std::string steps_of(const std::vector<Frames>& stacks) {
  Json steps = Json::array();
  for (const Frames& frames : stacks) {
    Json stack = Json::array();
    for (const auto& [function, line] : frames)
      stack.push_back({{"path", "a.py"}, {"line_number", line}, {"function_name", function}});
    steps.push_back({{"stack", stack}});
  }
  return steps.dump();
}
Trace import_steps(const std::string& source, const std::vector<Frames>& stacks) {
  return parse_edtrace(
      "{\"files\":{\"a.py\":" + Json(source).dump() + "},\"steps\":" + steps_of(stacks) + "}", "a.json");
}

std::string refusal(const std::string& text) {
  try {
    parse_edtrace(text, "bad.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// One step at line 1 of a file, with further members.
std::string one_step(const std::string& members) {
  return "{\"files\":{\"a.py\":\"x\\n\"},\n\"steps\":[\n"
         "{\"stack\":[{\"path\":\"a.py\",\"line_number\":1,\"function_name\":\"main\"}]" +
         members + "}]}";
}
Json details_of(const std::string& members) {
  return step_json(parse_edtrace(one_step(members), "a.json").steps.at(0));
}

std::string imported(const std::string& value) {
  return details_of(",\"env\":{\"x\":" + value + "}").at("vars").at("x").dump();
}

const Step& step_at(const Trace& trace, int line, int occurrence = 1) {
  for (const Step& step : trace.steps) {
    if (trace.sites[static_cast<std::size_t>(step.site)].span.line == line && --occurrence == 0) return step;
  }
  throw std::out_of_range("no step at line " + std::to_string(line));
}

const Site& site_at(const Trace& trace, int line) {
  return trace.sites[static_cast<std::size_t>(step_at(trace, line).site)];
}

TEST(EdtraceImport, TellsItsTracesFromOurs) {
  EXPECT_TRUE(is_edtrace(fixture("tensors_2025.json")));
  EXPECT_TRUE(is_edtrace("{\"version\":3,\"steps\":[]}"));
  EXPECT_FALSE(is_edtrace("{\"format\":\"lectern-trace/1\",\"files\":{}}"));
  for (const char* const other : {"", "[]", "{", "{\"lecture\":\"l\"}"}) {
    EXPECT_FALSE(is_edtrace(other)) << other;
  }
}

TEST(EdtraceImport, DefinitionsOfPython) {
  const Trace trace = import_fixture("tensors_later.json");
  EXPECT_EQ(trace.lecture, "tensors_later");
  ASSERT_EQ(trace.sources.size(), 1U);
  EXPECT_EQ(trace.sources[0].path, "tensors.py");
  EXPECT_EQ(trace.sources[0].language, "python");
  EXPECT_EQ(trace.sources[0].lines.size(), 54U);
  ASSERT_EQ(trace.functions.size(), 2U);
  EXPECT_EQ(trace.functions[0].name, "largest");
  EXPECT_EQ(trace.functions[0].span.line, 15);
  EXPECT_EQ(trace.functions[0].span.end_line, 20);
  EXPECT_EQ(trace.functions[1].name, "main");
  EXPECT_EQ(trace.stacks.size(), 3U);

  EXPECT_EQ(site_at(trace, 24).kind, SiteKind::hook);
  const Site& link = site_at(trace, 27);  // a call over nine lines
  EXPECT_EQ(link.kind, SiteKind::hook);
  EXPECT_EQ(link.span.end_line, 35);
  EXPECT_EQ(link.span.column, 5);
  EXPECT_EQ(site_at(trace, 18).span.end_column, 26);  // without the comment
  EXPECT_TRUE(site_at(trace, 48).hide);
  EXPECT_FALSE(site_at(trace, 47).hide);
  // With a line that no step was at.
  EXPECT_EQ(trace.sources[0].hidden, (std::vector<std::array<int, 2>>{{6, 6}, {48, 48}}));
}

TEST(EdtraceImport, StepsOfBothGenerations) {
  for (const char* const name : {"tensors_2025.json", "tensors_later.json"}) {
    const Trace trace = import_fixture(name);
    ASSERT_EQ(trace.steps.size(), 56U) << name;
    EXPECT_EQ(trace.steps[0].enter, 1) << name;
    const Step& call = step_at(trace, 42);
    EXPECT_FALSE(call.after);
    EXPECT_TRUE(step_at(trace, 42, 2).after) << name;
    EXPECT_EQ(step_at(trace, 15).enter, 1) << name;
    EXPECT_EQ(step_at(trace, 16).enter, 0) << name;
    // largest() + largest() in one statement: two activations.
    const std::vector<Pass> all = passes(trace);
    std::map<int, int> activations;  // steps at line 16
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      if (trace.sites[static_cast<std::size_t>(trace.steps[i].site)].span.line == 16)
        ++activations[all[i].activation];
    }
    EXPECT_EQ(activations, (std::map<int, int>{{1, 1}, {2, 1}, {3, 1}})) << name;
  }
}

TEST(EdtraceImport, ValuesWithTheirTypes) {
  const Trace trace = import_fixture("tensors_later.json");
  const auto value = [&](int line, const char* name, int occurrence = 1) {
    return step_json(step_at(trace, line, occurrence)).at("vars").at(name).dump();
  };
  EXPECT_EQ(value(40, "x"), R"({"type":"torch.Tensor","dtype":"float32","shape":[2,2],"data":[0.1,2.0,)"
                            R"({"float":"nan"},{"float":"-inf"}]})");
  EXPECT_EQ(value(41, "i"), R"({"type":"torch.Tensor","dtype":"int64","shape":[3],"data":[1,2,3]})");
  EXPECT_EQ(value(42, "best", 2), R"({"type":"int","value":4})");
  EXPECT_EQ(value(44, "shape"), R"({"type":"tensors.Shape","fields":[["rows",2],["columns",3]]})");
  EXPECT_EQ(
      value(45, "things"),
      R"({"type":"dict","entries":[["a",{"type":"list","items":[1,2.5,"b",{"type":"NoneType","text":"None"},true]}],)"
      R"(["b",{"type":"dict","entries":[["c",{"type":"tuple","items":[1,"d"]}]]}],["7",{"float":"inf"}]]})");
  EXPECT_EQ(value(46, "nothing"), R"({"type":"NoneType","text":"None"})");
  EXPECT_EQ(value(47, "big"), R"({"type":"int","text":"1267650600228229401496703205376"})");
  EXPECT_EQ(step_json(step_at(trace, 43, 2)).at("clear").dump(), R"(["i"])");
}

TEST(EdtraceImport, BareValues) {
  const Trace trace = import_fixture("tensors_2025.json");
  const auto value = [&](int line, const char* name) {
    return step_json(step_at(trace, line)).at("vars").at(name).dump();
  };
  EXPECT_EQ(value(40, "x"), R"({"type":"list","items":[{"type":"list","items":[0.10000000149011612,2.0]},)"
                            R"({"type":"list","items":[{"float":"nan"},{"float":"-inf"}]}]})");
  EXPECT_EQ(value(44, "shape"), R"({"type":"dict","entries":[["rows",2],["columns",3]]})");
  EXPECT_EQ(value(46, "nothing"), R"({"type":"str","value":"None"})");
  EXPECT_EQ(value(47, "big"), R"({"type":"int","text":"1267650600228229401496703205376"})");
}

TEST(EdtraceImport, ValueByValue) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {"4", R"({"type":"int","value":4})"},
      {"4.0", R"({"type":"float","value":4.0})"},
      {"-1e-05", R"({"type":"float","value":-1e-05})"},
      {"-Infinity", R"({"type":"float","value":{"float":"-inf"}})"},
      {"-1267650600228229401496703205376", R"({"type":"int","text":"-1267650600228229401496703205376"})"},
      {"18446744073709551615", R"({"type":"int","value":18446744073709551615})"},
      {"true", R"({"type":"bool","value":true})"},
      {R"("a\u00e4")", "{\"type\":\"str\",\"value\":\"a\u00e4\"}"},
      {"[[1,[2.5]],[]]",
       R"({"type":"list","items":[{"type":"list","items":[1,{"type":"list","items":[2.5]}]},{"type":"list","items":[]}]})"},
      {R"({"b":null,"a":{}})",
       R"({"type":"dict","entries":[["b",null],["a",{"type":"dict","entries":[]}]]})"},
      // With types.
      {R"({"type":"float","contents":"nan","dtype":null,"shape":null})",
       R"({"type":"float","value":{"float":"nan"}})"},
      {R"({"type":"str","contents":"nan"})", R"({"type":"str","value":"nan"})"},
      {R"({"type":"numpy.int64","contents":5})", R"({"type":"numpy.int64","value":5})"},
      {R"({"type":"sympy.core.symbol.Symbol","contents":"x"})",
       R"({"type":"sympy.core.symbol.Symbol","text":"x"})"},
      {R"({"type":"collections.Counter","contents":{"a":{"type":"int","contents":2}}})",
       R"({"type":"collections.Counter","entries":[["a",2]]})"},
      {R"({"type":"list","contents":[{"type":"numpy.float64","contents":1.5},{"type":"float","contents":2}]})",
       R"({"type":"list","items":[{"type":"numpy.float64","value":1.5},{"type":"float","value":2}]})"},
      // Tensors.
      {R"({"type":"torch.Tensor","dtype":"torch.bool","shape":[],"contents":true})",
       R"({"type":"torch.Tensor","dtype":"bool","shape":[],"data":[true]})"},
      {R"({"type":"numpy.ndarray","dtype":"float64","shape":[1,2],"contents":[[0.5,"nan"]]})",
       R"({"type":"numpy.ndarray","dtype":"float64","shape":[1,2],"data":[0.5,{"float":"nan"}]})"},
      {R"({"type":"torch.Tensor","contents":[1,2]})", R"({"type":"torch.Tensor","items":[1,2]})"},
  };
  for (const auto& [theirs, ours] : cases) {
    EXPECT_EQ(imported(theirs), ours) << theirs;
  }
}

TEST(EdtraceImport, NumbersThatJsonHasNot) {
  EXPECT_EQ(with_valid_numbers(R"({"NaN":[NaN, -Infinity,Infinity,-1], "t":"say \"NaN\" \\"})"),
            R"({"NaN":["nan", "-inf","inf",-1], "t":"say \"NaN\" \\"})");
  EXPECT_EQ(with_valid_numbers("[-9223372036854775809,9223372036854775808,18446744073709551616,1e30]"),
            R"(["-9223372036854775809",9223372036854775808,"18446744073709551616",1e30])");
  for (const char* const wrong : {"NaNs", "[1,Infin", "\"NaN", "-NaN", ""}) {
    EXPECT_FALSE(Json::accept(with_valid_numbers(wrong))) << wrong;
  }
}

TEST(EdtraceImport, ContentsThatAreNotOfTheShapeAreNoTensor) {
  for (const char* const shape : {"5", "[-1]", "[\"a\"]", "[1e300]"}) {
    const std::string value =
        std::string(R"({"type":"torch.Tensor","dtype":"torch.int64","contents":[],"shape":)") + shape + "}";
    EXPECT_EQ(imported(value), R"({"type":"torch.Tensor","items":[]})") << value;
  }
  for (const char* const contents :
       {"[1,2]", "[[1,2],[3]]", "[[1,2],[3,\"x\"]]", "[[1,2],[3,[4]]]", "\"cut\""}) {
    const std::string value =
        std::string(R"({"type":"torch.Tensor","dtype":"torch.int64","shape":[2,2],"contents":)") + contents +
        "}";
    EXPECT_FALSE(Json::parse(imported(value)).contains("shape")) << value;
  }
}

TEST(EdtraceImport, Renderings) {
  const Trace trace = import_fixture("tensors_later.json");
  const auto show = [&](int line, int occurrence = 1) {
    return to_json(step_at(trace, line, occurrence).details().show);
  };
  EXPECT_EQ(show(24), R"([{"kind":"text","markdown":"# Tensors"}])");
  EXPECT_EQ(show(26), R"([{"kind":"note","markdown":"Ask who has met one."}])");
  EXPECT_EQ(show(27, 2),
            R"([{"kind":"link","url":"https://arxiv.org/abs/1706.03762","title":"Attention is all you need",)"
            R"("authors":["Ashish Vaswani","Noam Shazeer"],"organization":"Google","date":"2017-06-12",)"
            R"("description":"Nothing but attention.","notes":"Read section 3."}])");
  EXPECT_EQ(show(36), R"([{"kind":"image","src":"images/bits.svg","width":200}])");
  EXPECT_EQ(
      show(37),
      R"([{"kind":"link","url":"https://example.org/remote.png","label":"image: https://example.org/remote.png"}])");
  EXPECT_EQ(show(38), R"([{"kind":"verbatim","text":"two  lines\n# verbatim"}])");
  EXPECT_EQ(
      show(39),
      R"([{"kind":"text","markdown":"See"},{"kind":"link","function":"largest"},{"kind":"link","function":"Shape"}])");
  EXPECT_EQ(show(49),
            R"([{"kind":"plot","spec":{"mark":"line","data":{"values":[{"x":0,"y":1},{"x":1,"y":2}]}}}])");
}

TEST(EdtraceImport, FilesElsewhereAreNamedOnly) {
  const Json show = details_of(R"(,"renderings":[
      {"type":"image","data":"./images/../figures/a.png","style":{"width":"300px"}},
      {"type":"image","data":"../a.png"},{"type":"video","data":"/home/a.mp4"}])")
                        .at("show");
  EXPECT_EQ(show[0].at("src"), "figures/a.png");
  EXPECT_EQ(show[0].at("width"), 300);
  EXPECT_EQ(show[1].at("label"), "image: ../a.png");
  EXPECT_EQ(show[2].at("label"), "video: /home/a.mp4");
}

TEST(EdtraceImport, WorksHaveADayWithoutItsTime) {
  const Json show = details_of(R"(,"renderings":[
      {"type":"link","external_link":{"title":"A","date":"2017-06-12T17:57:34Z"}},
      {"type":"link","external_link":{"title":"B","date":"2017-06"}},
      {"type":"link","external_link":{"title":"C","date":"Three Times"}}])")
                        .at("show");
  EXPECT_EQ(show[0].at("date"), "2017-06-12");
  EXPECT_EQ(show[1].at("date"), "2017-06");
  EXPECT_EQ(show[2].at("date"), "Three Times");
}

TEST(EdtraceImport, RenderingsOfLaterKinds) {
  const Json show = details_of(R"(,"renderings":[
      {"type":"text","data":"as it is"},
      {"type":"card","data":{"title":"T","body":"B","eyebrow":"E","tags":["a","b"],
                             "sources":[{"title":"S","url":"https://e.org"}],"caveat":"C"}},
      {"type":"graph","data":{"nodes":[{"data":{"id":"1","label":"one"}}],
                              "edges":[{"data":{"source":"1","target":"1"}}]}},
      {"type":"plotly","data":{"data":[NaN]}},
      {"type":"front","data":{"title":"not ours"}},
      {"type":"link","internal_link":{"path":"a.py","line_number":7}},
      {"type":"plot","data":{"y":NaN}}])")
                        .at("show");
  EXPECT_EQ(show[0].at("kind"), "verbatim");
  EXPECT_EQ(show[1].at("markdown"), "*E*\n\nB\n\na, b\n\n[S](<https://e.org>)\n\n**Caveat:** C");
  EXPECT_EQ(show[2].at("edges").dump(), R"([{"from":"1","to":"1"}])");
  EXPECT_EQ(show[3].at("kind"), "edtrace:plotly");
  EXPECT_EQ(show[3].at("data").dump(), R"({"data":["nan"]})");
  EXPECT_EQ(show[4].at("kind"), "edtrace:front");
  EXPECT_EQ(show[5].at("label"), "a.py:7");
  EXPECT_EQ(show[6].at("spec").dump(), R"({"y":"nan"})");
}

TEST(EdtraceImport, MissingFieldsAreEmpty) {
  const Trace trace = parse_edtrace(
      R"({"steps":[{"stack":[{"path":"a.jl","line_number":3}]},
                   {"stack":[{"path":"a.jl","line_number":4,"function_name":null,"code":null}],
                    "env":null,"renderings":null,"stdout":null,"stderr":"oh"}],"hidden_line_numbers":null})",
      "a.json");
  EXPECT_EQ(trace.sources.at(0).language, "");
  EXPECT_EQ(trace.functions.at(0).name, "<unknown>");
  EXPECT_EQ(trace.steps.at(0).text, "");
  EXPECT_EQ(step_json(trace.steps.at(1)).dump(), R"({"err":"oh"})");
  EXPECT_FALSE(details_of(R"(,"renderings":[{"type":"markdown"},{"type":"link"},{}])").contains("show"));
}

TEST(EdtraceImport, FormulasAreWhatTheViewerShowsOrTheirAuthorMeant) {
  const std::vector<std::pair<const char*, const char*>> cases{
      // Escaped, as marked wants it.
      {R"($m \= a \- b$)", R"($m = a - b$)"},
      {R"($\\{x\\}$)", R"($\{x\}$)"},
      {R"($\\{x_i\\}$ and $\mathbb{E}\\{x\\}$)", R"($\{x_i\}$ and $\mathbb{E}\{x\}$)"},
      {R"($\frac{x\*y}{2}$)", R"($\frac{x*y}{2}$)"},
      {R"($$\begin{matrix} a \\\\ b \end{matrix}$$)", R"($$\begin{matrix} a \\ b \end{matrix}$$)"},
      {R"(from \\$5 to \\$6)", R"(from \$5 to \$6)"},
      // Not escaped.
      {R"($\frac{a}{b} \, c_1$)", R"($\frac{a}{b} \, c_1$)"},
      {R"($\{x_i\}$)", R"($\{x_i\}$)"},
      {R"($\text{batch\_size} = 50\%$)", R"($\text{batch\_size} = 50\%$)"},
      {R"($$\begin{aligned} a &= b \\& = c \\ \end{aligned}$$)",
       R"($$\begin{aligned} a &= b \\& = c \\ \end{aligned}$$)"},
      {R"(from \$5 to \$6)", R"(from \$5 to \$6)"},
      // No formula.
      {R"(`$a \- b$` \*)", R"(`$a \- b$` \*)"},
  };
  for (const auto& [theirs, ours] : cases) {
    const std::string shown = R"(,"renderings":[{"type":"markdown","data":)" + Json(theirs).dump() + "}]";
    EXPECT_EQ(details_of(shown).at("show").at(0).at("markdown"), ours) << theirs;
  }
}

TEST(EdtraceImport, ActivationsAsFarAsLinesTell) {
  const std::string source = "def main():\n  f()\n  f()\ndef f():\n  g()\n  g()\ndef g():\n  pass\n";
  const Trace trace =
      import_steps(source, {{{"main", 1}},
                            {{"main", 2}},
                            {{"main", 2}, {"f", 5}},            // deeper
                            {{"main", 2}, {"f", 5}, {"g", 8}},  // deeper
                            {{"main", 2}, {"f", 6}, {"g", 8}},  // called from another line: g anew
                            {{"main", 2}, {"f", 6}},            // back, where it called
                            {{"main", 2}},                      // back
                            {{"main", 3}, {"f", 5}},            // main's line changed
                            {{"main", 3}, {"f", 5}, {"f", 5}},  // recursion
                            {{"main", 3}, {"f", 4}}});          // `def`: a call
  std::vector<int> enter;
  std::vector<bool> after;
  for (const Step& step : trace.steps) {
    enter.push_back(step.enter);
    after.push_back(step.after);
  }
  EXPECT_EQ(enter, (std::vector<int>{1, 0, 1, 1, 1, 0, 0, 1, 1, 1}));
  EXPECT_EQ(after, (std::vector<bool>{false, false, false, false, false, true, true, false, false, false}));
}

TEST(EdtraceImport, MethodsOfOneNameAreTwoFunctions) {
  const Trace trace = import_steps(
      "class A:\n  @property\n  def size(self):\n    return 1\n\nclass B:\n  def size(self):\n    return 2\n",
      {{{"size", 4}}, {{"size", 8}}, {{"size", 2}}, {{"<lambda>", 1}}});
  ASSERT_EQ(trace.functions.size(), 3U);
  EXPECT_EQ(trace.functions[0].span.line, 2);  // with its decorator
  EXPECT_EQ(trace.sites[0].function, 0);
  EXPECT_EQ(trace.sites[1].function, 1);
  EXPECT_EQ(trace.sites[2].function, 0);
  EXPECT_EQ(trace.functions[2].name, "<lambda>");
}

TEST(EdtraceImport, ThousandsOfStepsShareTheirDefinitions) {
  std::string steps;
  for (int i = 0; i < 5000; ++i) {
    const bool inner = i % 5 != 0;
    steps += i == 0 ? "" : ",\n";
    steps +=
        R"({"stack":[{"path":"a.py","line_number":2,"function_name":"main","code":"for i in many: f[i]"})";
    if (inner) {
      steps += R"(,{"path":"a.py","line_number":)" + std::to_string(3 + i % 5) +
               R"(,"function_name":"f","code":"…"})";
    }
    steps += R"(],"env":{"i":)" + std::to_string(i) + R"(},"renderings":[],"stdout":"","stderr":""})";
  }
  const std::string text =
      R"({"files":{"a.py":"def main():\n  for i in many: f[i]\ndef f(i):\n  a\n  b\n  c\n  d\n"},"steps":[)" +
      steps + "]}";
  const Trace trace = parse_edtrace(text, "a.json");
  ASSERT_EQ(trace.steps.size(), 5000U);
  EXPECT_EQ(trace.sites.size(), 5U);
  EXPECT_EQ(trace.stacks.size(), 2U);
  EXPECT_EQ(passes(trace).back().activation, 1000);
  const std::string written = write_trace(trace);
  EXPECT_LT(written.size(), text.size() / 2);
  EXPECT_EQ(write_trace(parse_trace(written, "again.json")), written);
}

TEST(EdtraceImport, WhatItMakesIsATrace) {
  for (const char* const name : {"tensors_2025.json", "tensors_later.json"}) {
    const Trace trace = import_fixture(name);
    EXPECT_TRUE(parse_trace(write_trace(trace), name) == trace) << name;
  }
}

TEST(EdtraceImport, RefusesWhatIsNoTraceOfEdtrace) {
  const std::string deep(300, '['), nested = std::string(100, '[') + std::string(100, ']');
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "bad.json:1: this is not JSON"},
      {"[]", "bad.json: this is not a trace of edtrace (it has no list \"steps\")"},
      {"{\"files\":{}}", "it has no list \"steps\""},
      {"{\"files\":{}, \"steps\": 3}", "it has no list \"steps\""},
      {"{\"files\":{},\n\"steps\":[}", "bad.json:2: this is not JSON: unexpected"},
      {"{\"files\":{},\n\"steps\":[]}\nx", "bad.json:3: this is not JSON: invalid literal"},
      {"{\"files\":{},\"steps\":[NaNs]}", "this is not JSON"},
      {"{\"steps\":[" + deep, "this is not JSON: nested too deeply"},
      {"{\"files\":{\"a.py\":3},\"steps\":[]}", "the contents of a file are not a string"},
      {"{\"files\":{\"\":\"\"},\"steps\":[]}", "a file has no name"},
      {"{\"hidden_line_numbers\":{\"a.py\":[1,\n0]},\"steps\":[]}",
       "bad.json: a hidden line is not a number"},
      {"{\"hidden_line_numbers\":{\"a.py\":[99999999999]},\"steps\":[]}", "a hidden line is not a number"},
      {"{\n\"steps\":[\n{\"env\":{}}]}", "bad.json: step 0: it has no \"stack\""},
      {"{\"steps\":[7]}", "step 0: it has no \"stack\""},
      {"{\"steps\":[{\"stack\":[5]}]}", "step 0: a frame of the stack has no \"path\""},
      {"{\"steps\":[{\"stack\":[{\"path\":\"a\"}]}]}", "has no \"line_number\""},
      {"{\"steps\":[{\"stack\":[{\"path\":\"a\",\"line_number\":0}]}]}", "has no \"line_number\" from 1 on"},
      {"{\"steps\":[{\"stack\":[{\"path\":\"a\",\"line_number\":99999999999}]}]}", "has no \"line_number\""},
      {"{\"steps\":[{\"stack\":[{\"path\":\"a\",\"line_number\":1.5}]}]}", "has no \"line_number\""},
      {one_step(",\"env\":[]"), "bad.json: step 0: \"env\" is not an object"},
      {one_step(",\"renderings\":{}"), "step 0: \"renderings\" is not a list"},
      {one_step(",\"renderings\":[1]"), "step 0: a rendering is not an object"},
      {one_step(",\"renderings\":[{\"type\":\"plot\",\"data\":{\"a\":1e999}}]"),
       "bad.json:3: this is not JSON: a number beyond the range of a double"},
      {one_step(",\"env\":{\"x\":" + nested + "}"), "step 0: a value is nested more than 60 levels deep"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_NE(refusal(text).find(message), std::string::npos)
        << text.substr(0, 200) << "\n-> " << refusal(text);
  }
}

TEST(EdtraceImport, HugeShapesCostNothing) {
  const Json details = details_of(
      R"(,"env":{"x":{"type":"torch.Tensor","dtype":"torch.float32","shape":[9007199254740992,9007199254740992],"contents":[]},
                 "y":{"type":"torch.Tensor","dtype":"torch.float32","shape":[0,9007199254740992],"contents":[]}})");
  EXPECT_FALSE(details.at("vars").at("x").contains("shape"));
  EXPECT_EQ(details.at("vars").at("y").at("data").size(), 0U);
}

}  // namespace
}  // namespace lectern
