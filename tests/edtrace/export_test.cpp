#include "edtrace/export.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/markdown_math.h"
#include "edtrace/fixtures.h"
#include "edtrace/import.h"
#include "edtrace/viewer.h"
#include "trace/decode.h"
#include "trace/encode.h"
#include "trace/reader.h"

namespace lectern {
namespace {

using test::fixture;
using test::kTests;

Trace sample() {
  return read_trace(kTests / "site/sample.json");
}

std::string exported(const Trace& trace, EdtraceGeneration generation = EdtraceGeneration::later) {
  return export_edtrace(trace,
                        {.generation = generation,
                         .addresses = {{"bits.svg", "there/bits.svg"}, {"a b#?%.svg", "there/ab.svg"}}});
}

std::string written(const Json& value, EdtraceGeneration generation = EdtraceGeneration::later) {
  return value_to_edtrace(value_from_json(value), generation).dump();
}

/// A trace of one statement that showed these renderings.
Trace showing(const std::string& show) {
  return parse_trace(R"({"format":"lectern-trace/1","lecture":"l","records":[
{"source":0,"path":"a.cpp","language":"cpp","lines":["struct Box {","};","void f() {}"]},
{"function":0,"name":"f","source":0,"span":[3,1,3,12]},
{"site":0,"function":0,"span":[3,1,3,12]},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"show":)" +
                         show + R"(},
{"end":"return","steps":1}
]})",
                     "a.json");
}
Json renderings_of(const std::string& show, EdtraceGeneration generation = EdtraceGeneration::later) {
  return Json::parse(exported(showing(show), generation)).at("steps").at(0).at("renderings");
}

TEST(EdtraceExport, WhatGoesOutOfScopeIsRemoved) {
  const Trace trace = parse_trace(R"({"format":"lectern-trace/1","lecture":"l","records":[
{"source":0,"path":"a.cpp","language":"cpp","lines":["void f(int n) {","{ int n = 2;","g(n); }","h(); }"]},
{"function":0,"name":"f","source":0,"span":[1,1,4,7]},
{"site":0,"function":0,"span":[2,3,2,13],"locals":{"n":1,"m":1}},
{"site":1,"function":0,"span":[3,1,3,6]},
{"site":2,"function":0,"span":[4,1,4,5]},
{"stack":0,"function":0},
{"at":1,"in":0,"enter":1,"args":{"k":{"type":"int","value":1}}},
{"at":2,"in":0,"vars":{"n":{"type":"int","value":3}}},
{"at":0,"in":0,"vars":{"n":{"type":"int","value":2},"m":{"type":"int","value":4}}},
{"at":2,"in":0},
{"end":"return","steps":4}
]})",
                                  "a.json");
  const Json later = Json::parse(exported(trace)).at("steps");
  EXPECT_EQ(later[0].at("env").dump(), R"({"k":{"type":"int","contents":1}})");
  EXPECT_EQ(later[3].at("env").dump(), R"({"n":{"type":"int","contents":3},"m":null})");
  const Json of_2025 = Json::parse(exported(trace, EdtraceGeneration::of_2025)).at("steps");
  EXPECT_EQ(of_2025[3].at("env").dump(), "{}") << "its viewers know no removing";
}

TEST(EdtraceExport, IsATraceOfEdtraceWithTheSameSteps) {
  const Trace trace = sample();
  const Trace back = parse_edtrace(exported(trace), "sample.json");
  ASSERT_EQ(back.steps.size(), trace.steps.size());
  EXPECT_EQ(back.sources[0].lines, trace.sources[0].lines);
  EXPECT_TRUE(came_from_edtrace(back));
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const auto line = [](const Trace& of, const Step& step) { return of.sites[index(step.site)].span.line; };
    const Step &was = trace.steps[i], &is = back.steps[i];
    EXPECT_EQ(line(back, is), line(trace, was)) << i;
    EXPECT_EQ(is.after, was.after) << i;
    EXPECT_EQ(is.enter, was.enter) << i;
    EXPECT_EQ(back.stacks[index(is.stack)].depth, trace.stacks[index(was.stack)].depth);
    const StepDetails is_details = is.details(), was_details = was.details();
    EXPECT_EQ(is_details.out, was_details.out) << i;
    EXPECT_EQ(is_details.clear, was_details.clear) << i;
    for (const char* const name : {"ids", "i", "n", "merge", "large", "text_of_it"}) {
      const Value* const was_value = was_details.vars.find(name);
      ASSERT_EQ(is_details.vars.find(name) == nullptr, was_value == nullptr) << i << name;
      if (was_value == nullptr) continue;
      EXPECT_EQ(written(Json::parse(to_json(*is_details.vars.find(name)))),
                written(Json::parse(to_json(*was_value))))
          << i << name;
    }
  }
  EXPECT_TRUE(back.sites[index(back.steps[35].site)].hide);
}

TEST(EdtraceExport, ATraceOf2025ForALaterViewer) {
  const Json json = Json::parse(exported(parse_edtrace(fixture("tensors_2025.json"), "a.json")));
  EXPECT_TRUE(json.contains("hidden_line_numbers"));
  for (const Json& step : json.at("steps")) {
    for (const Json& value : step.at("env")) {
      EXPECT_TRUE(value.is_null() || value.at("type").is_string()) << value.dump();
    }
  }
}

TEST(EdtraceExport, Values) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {R"({"type":"int","value":5})", R"({"type":"int","contents":5})"},
      {R"({"type":"unsigned long","value":5})", R"({"type":"int","contents":5})"},
      {R"({"type":"long","value":-9223372036854775808})",
       R"({"type":"int","contents":"-9223372036854775808"})"},
      {R"({"type":"unsigned long","value":18446744073709551615})",
       R"({"type":"int","contents":"18446744073709551615"})"},
      {R"({"type":"double","value":0.5})", R"({"type":"float","contents":0.5})"},
      {R"({"type":"char","value":"a"})", R"({"type":"char","contents":"a"})"},
      {R"({"type":"double","value":{"float":"-inf"}})", R"({"type":"float","contents":"-inf"})"},
      {R"({"type":"std::string","value":"abc","size":9})",
       "{\"type\":\"std::string\",\"contents\":\"abc\u2026\"}"},
      {R"({"type":"std::string","value":{"bytes":"e4bd"}})",
       R"({"type":"std::string","contents":"\"\\xE4\\xBD\""})"},
      {R"({"type":"std::vector<int>","items":[1,2],"size":9})",
       "{\"type\":\"std::vector<int>\",\"contents\":[{\"type\":\"int\",\"contents\":1},"
       "{\"type\":\"int\",\"contents\":2},{\"type\":\"str\",\"contents\":\"\u2026\"}]}"},
      {R"({"type":"M","entries":[[{"items":[1,2]},true],["a",null]]})",
       R"({"type":"M","contents":{"[1, 2]":{"type":"bool","contents":true},"a":{"type":"NoneType","contents":"None"}}})"},
      {R"({"type":"S","fields":[["x",0.5]]})",
       R"({"type":"S","contents":{"x":{"type":"float","contents":0.5}}})"},
      {R"({"type":"Color","text":"red","value":1})", R"({"type":"Color","contents":"red"})"},
      {R"({"type":"std::optional<int>","to":null})", R"({"type":"NoneType","contents":"None"})"},
      {R"({"type":"int*","to":5})", R"({"type":"int","contents":5})"},
      {R"({"type":"L","items":[{"ref":3},{"cut":true}]})",
       "{\"type\":\"L\",\"contents\":[{\"type\":\"str\",\"contents\":\"#3\"},{\"type\":\"str\",\"contents\":"
       "\"\u2026\"}]}"},
      {R"({"type":"Opaque"})", R"({"type":"Opaque","contents":"Opaque"})"},
      {R"({"type":"Storage","storage":2,"storage_bytes":8,"device":"cpu"})",
       R"({"type":"Storage","contents":"storage B 8 bytes cpu"})"},
      {R"({"type":"Tensor","dtype":"float32","shape":[2,2],"strides":[1,2],"device":"cpu","data":[0.1,2.0,{"float":"nan"},4.0]})",
       R"({"type":"torch.Tensor","contents":[[0.1,2.0],["nan",4.0]],"dtype":"torch.float32","shape":[2,2]})"},
      {R"({"type":"Tensor","dtype":"int64","shape":[],"data":[7]})",
       R"({"type":"torch.Tensor","contents":7,"dtype":"torch.int64","shape":[]})"},
      {R"({"type":"Tensor","dtype":"float32","shape":[4096,64],"storage":2})",
       R"({"type":"Tensor","contents":"float32[4096,64]"})"},
  };
  for (const auto& [ours, theirs] : cases) EXPECT_EQ(written(Json::parse(ours)), theirs) << ours;
}

TEST(EdtraceExport, SummariesHaveGaps) {
  const Json made = Json::parse(written(Json::parse(
      R"({"type":"Tensor","dtype":"int64","shape":[9,4],"indices":[[0,8],[0,1,3]],"data":[1,2,4,33,34,36],"stats":{"min":1}})")));
  EXPECT_EQ(made.at("contents").dump(), "[[1,2,\"\u2026\",4],[\"\u2026\"],[33,34,\"\u2026\",36]]");
  EXPECT_EQ(made.at("shape").dump(), "[9,4]");
}

TEST(EdtraceExport, BareValuesFor2025) {
  const auto bare = [](const char* value) { return written(Json::parse(value), EdtraceGeneration::of_2025); };
  EXPECT_EQ(bare(R"({"type":"int","value":5})"), "5");
  EXPECT_EQ(bare(R"({"type":"S","fields":[["x",{"type":"V","items":[1,null,{"float":"nan"}]}]]})"),
            R"({"x":[1,null,"nan"]})");
  EXPECT_EQ(bare(R"({"type":"Tensor","dtype":"float32","shape":[1,2],"data":[0.5,1.0]})"), "[[0.5,1.0]]");
}

TEST(EdtraceExport, Renderings) {
  const std::vector<std::pair<const char*, const char*>> markdown{
      {R"({"kind":"text","markdown":"a *b*"})", "a *b*"},
      {R"({"kind":"verbatim","text":"# ```\nx"})", "````\n# ```\nx\n````"},
      {R"({"kind":"front","title":"T","authors":["A","B"],"date":"2026","description":"D"})",
       "**T**\n\n**date:** 2026\n\n**authors:** A, B\n\n**description:** D"},
      {R"({"kind":"table","header":["a|b"],"rows":[["1","2"],["x\ny"]]})",
       "| a\\|b |  |\n| --- | --- |\n| 1 | 2 |\n| x y |  |\n"},
      {R"({"kind":"table","header":["`a|b`"],"rows":[["c\\|d"],["$\\|v\\|$"]]})",
       "| `a\\|b` |\n| --- |\n| c\\|d |\n| $\\\\\\|v\\\\\\|$ |\n"},
      {R"({"kind":"graph","nodes":[{"id":"a","label":"A"}],"edges":[{"from":"a","to":"b","label":"e"}]})",
       "```\na: A\na \u2192 b (e)\n```"},
      {R"({"kind":"card","title":"T","url":"https://e.org","markdown":"M"})",
       "**T**\n\nM\n\n**url:** https://e.org"},
      {R"({"kind":"callout","type":"warning","title":"W","markdown":"a\nb"})",
       "**warning**\n\n**W**\n\na\nb"},
      {R"({"kind":"exercise","markdown":"Q","answer":"A"})", "**exercise**\n\nQ\n\n**answer:** A"},
      {R"({"kind":"tabs","tabs":[{"title":"A","markdown":"a"},{"title":"B","markdown":"b"}]})",
       "**tabs:** **A**\n\na\n\n**B**\n\nb"},
      {R"({"kind":"system","command":"ls","text":"\u001b[31ma\u001b[0m\n","status":2})",
       "```\n$ ls\na\n\n(exit status 2)\n```"},
      {R"({"kind":"value","name":"x","value":{"type":"V","items":[1,2]}})", "```\nx = [1,2]\n```"},
      {R"({"kind":"link","function":"no_such"})", "`no_such`"},
      {R"({"kind":"term","name":"MFU","definition":"a *b*"})", "**MFU** (a *b*)"},
      {R"({"kind":"term","name":"MFU"})", "MFU"},
      {R"({"kind":"later","a":1})", "```json\n{\n  \"kind\": \"later\",\n  \"a\": 1\n}\n```"},
  };
  for (const auto& [ours, text] : markdown) {
    const Json made = renderings_of(std::string("[") + ours + "]");
    ASSERT_EQ(made.size(), 1U) << ours;
    EXPECT_EQ(made[0].at("type"), "markdown") << ours;
    EXPECT_EQ(made[0].at("data"), text) << ours;
    EXPECT_TRUE(made[0].at("style").is_object());
  }
}

TEST(EdtraceExport, MarkdownForTheViewersMarkdown) {
  const std::vector<std::pair<const char*, const char*>> cases{
      {R"(a *b* [c](https://e.org/~a_b) `<i>$x$`)", R"(a *b* [c](https://e.org/~a_b) `<i>$x$`)"},
      {R"($\{a,b\}$ $a*b$)", R"($\\{a,b\\}$ $a\*b$)"},
      {R"($\mathbb{E}_{x}[f](y)$)", R"($\\mathbb{E}\_{x}\[f\](y)$)"},
      {R"($a<b>c$)", R"($a\<b\>c$)"},
      {R"($$a \\ b$$)", R"($$a \\\\ b$$)"},
      {R"(\$5, $6 and \*)", R"(\\$5, \\$6 and \*)"},
      {R"(<b>no</b> <https://e.org> 1 < 2)", R"(&lt;b>no&lt;/b> <https://e.org> 1 &lt; 2)"},
      {R"(<img/src=x> <https://e.org onclick=x>)", R"(&lt;img/src=x> &lt;https://e.org onclick=x>)"},
      {R"(~a~ ~~b~~ https://e.org/~c)", R"(\~a\~ ~~b~~ https://e.org/~c)"},
      {"```\n<b> $x$\n```\n<b>", "```\n<b> $x$\n```\n&lt;b>"},
  };
  for (const auto& [ours, theirs] : cases) EXPECT_EQ(for_edtrace_viewer(ours), theirs);
}

TEST(EdtraceExport, FormulasComeBackFromTheViewersMarkdown) {
  for (const char* const ours :
       {R"($m = a - b$)", R"($\frac{a}{b}\, \text{batch\_size} \% \& \# c$)", R"($\{a,b\}$ \$5 and \$6)",
        R"($\mathbb{E}_{x}[f](y) \le \|x\|$)", R"($$\begin{pmatrix}1 & 2 \\ 3 & 4 \\[2pt]\end{pmatrix}$$)",
        R"($$a \\$$ and $5\$$ and `$\\$`)"}) {
    EXPECT_EQ(from_edtrace_viewer(for_edtrace_viewer(ours)), ours);
  }
}

TEST(EdtraceExport, FormulasOfTheLecturesComeBack) {
  const auto add_formulas = [](std::set<std::string>& formulas, const Trace& trace) {
    for (const Step& step : trace.steps) {
      for (const Rendering& rendering : step.details().show) {
        for (const Formula& formula : extract_math(portable_markdown(rendering)).formulas)
          formulas.insert(formula_source(formula));
      }
    }
  };
  std::set<std::string> before, after;
  for (const auto& file : std::filesystem::directory_iterator(kTests.parent_path() / "traces/cpu")) {
    if (file.path().extension() != ".json") continue;
    const Trace trace = read_trace(file.path());
    add_formulas(before, trace);
    add_formulas(after, parse_edtrace(export_edtrace(trace, {}), "a.json"));
  }
  EXPECT_GT(before.size(), 100U);
  EXPECT_EQ(after, before);
}

/// Two files: in `a.cpp` two hooks on a line and a loop on one, in `b.cpp` a hook on line 1. `b.cpp` begins
/// with a blank line, `a.cpp` ends with a hook over two lines, a hidden one and a note.
Trace with_crowded_lines() {
  return parse_trace(R"({"format":"lectern-trace/1","lecture":"l","records":[
{"source":0,"path":"a.cpp","language":"cpp","lines":["A(); B();","for (;;) { C(); }","D(","1);","E();","F();","G();"]},
{"source":1,"path":"b.cpp","language":"cpp","lines":["","B();"]},
{"function":0,"name":"g","source":1,"span":[1,1,2,5]},
{"function":1,"name":"f","source":0,"span":[1,1,7,5]},
{"site":0,"function":1,"span":[1,1,1,5],"kind":"hook"},
{"site":1,"function":1,"span":[1,6,1,10],"kind":"hook"},
{"site":2,"function":1,"span":[2,1,2,9],"kind":"loop"},
{"site":3,"function":1,"span":[2,12,2,16],"kind":"hook"},
{"site":4,"function":1,"span":[3,1,4,4],"kind":"hook"},
{"site":5,"function":1,"span":[5,1,5,5],"kind":"hook","hide":true},
{"site":6,"function":1,"span":[6,1,6,5],"kind":"hook"},
{"site":7,"function":1,"span":[7,1,7,5]},
{"site":8,"function":0,"span":[2,1,2,5],"kind":"hook"},
{"stack":0,"function":1},
{"stack":1,"function":0,"parent":0,"call":7},
{"at":0,"in":0,"enter":1,"show":[{"kind":"text","markdown":"A"}]},
{"at":1,"in":0,"show":[{"kind":"text","markdown":"B"}]},
{"at":2,"in":0},
{"at":3,"in":0,"show":[{"kind":"text","markdown":"C 1"}]},
{"at":2,"in":0},
{"at":3,"in":0,"show":[{"kind":"text","markdown":"C 2"}]},
{"at":2,"in":0},
{"at":4,"in":0,"show":[{"kind":"text","markdown":"D"}]},
{"at":5,"in":0,"show":[{"kind":"text","markdown":"E"}]},
{"at":6,"in":0,"show":[{"kind":"note","markdown":"F"}]},
{"at":7,"in":0,"vars":{"x":{"type":"std::optional<int>","to":null},"y":{"type":"unsigned long","value":5}}},
{"at":8,"in":1,"enter":1,"show":[{"kind":"text","markdown":"in b"}]},
{"at":7,"in":0,"after":true,"clear":["x"],"ended":{"by":"exception","type":"E","what":"no <b>"}},
{"end":"exception","steps":13}
]})",
                     "a.json");
}

/// What edtrace's viewers show in place of a line: of the last step there, whatever its file.
std::string shown_at(const Json& exported, std::size_t line) {
  std::string shown;
  for (const Json& step : exported.at("steps")) {
    if (step.at("stack").back().at("line_number") != line) continue;
    shown.clear();
    for (const Json& rendering : step.at("renderings")) shown += rendering.at("data").get<std::string>();
  }
  return shown;
}

TEST(EdtraceExport, ALineShowsWhatEachOfItsStatementsShowedLast) {
  const Trace trace = with_crowded_lines();
  for (const auto generation : {EdtraceGeneration::of_2025, EdtraceGeneration::later}) {
    const Json json = Json::parse(exported(trace, generation));
    EXPECT_EQ(shown_at(json, 1), "A B");
    EXPECT_EQ(shown_at(json, 2), "C 2");
    EXPECT_EQ(shown_at(json, 7),
              "```\nG();\na.cpp:7:1: The run ended with an exception of type E: no <b>\n```");
    const bool later = generation == EdtraceGeneration::later;
    EXPECT_EQ(shown_at(json, later ? 9 : 10), "in b");
    EXPECT_EQ(json.at("steps")[11].at("stack")[1].at("path"), later ? "b.cpp" : "a.cpp");
  }
}

TEST(EdtraceExport, FilesHaveNoLinesOfTheSameNumber) {
  const Json json = Json::parse(exported(with_crowded_lines()));
  EXPECT_EQ(json.at("files").at("a.cpp"), "A(); B();\nfor (;;) { C(); }\nD(\n1);\nE();\nF();\nG();\n");
  EXPECT_EQ(json.at("files").at("b.cpp"), "// Here no line of the lecture stands.\n\n\n\n\n\n\n\nB();\n");
  EXPECT_EQ(json.at("hidden_line_numbers").dump(), R"({"a.cpp":[4,5],"b.cpp":[1,2,3,4,5,6,7]})");
}

TEST(EdtraceExport, For2025WhatReadersAreNotToSeeIsNotThere) {
  const Json json = Json::parse(exported(with_crowded_lines(), EdtraceGeneration::of_2025));
  // No line before those of b.cpp, where its viewer would show what a.cpp rendered.
  EXPECT_EQ(json.at("files").dump(),
            Json({{"a.cpp", "A(); B();\nfor (;;) { C(); }\nD(\n\n\nF();\nG();\n// b.cpp\n\nB();\n"}}).dump());
  EXPECT_EQ(shown_at(json, 5), "");
  EXPECT_EQ(shown_at(json, 6), "");
  EXPECT_EQ(json.at("steps")[10].at("env").dump(), R"({"x":"None","y":5})");
  EXPECT_EQ(json.at("steps")[12].at("env").dump(), "{}");
  EXPECT_EQ(Json::parse(exported(with_crowded_lines())).at("steps")[12].at("env").dump(), R"({"x":null})");
}

TEST(EdtraceExport, FilesAreNamedWhereTheyLie) {
  const std::string theirs =
      R"({"files":{"a.py":"x"},"steps":[{"stack":[{"path":"a.py","line_number":1,"function_name":"main","code":"x"}],)"
      R"("env":{},"renderings":[{"type":"image","data":"./images/a.png","style":{}}],"stdout":"","stderr":""}]})";
  const Trace trace = parse_edtrace(theirs, "a.json");
  const auto address = [&trace](const EdtraceExport& form) {
    return Json::parse(export_edtrace(trace, form)).at("steps")[0].at("renderings")[0].at("data");
  };
  EXPECT_EQ(address({}), "images/a.png");
  EXPECT_EQ(address({.addresses = {{"images/a.png", "data:image/png;base64,AA=="}}}),
            "data:image/png;base64,AA==");
}

TEST(EdtraceExport, ImagesInTextsAreWhereTheOthersAre) {
  const std::string theirs =
      R"({"files":{"a.py":"x"},"steps":[{"stack":[{"path":"a.py","line_number":1,"function_name":"main","code":"x"}],)"
      R"x("env":{},"renderings":[{"type":"markdown","data":"![A](a.png) [b](b.pdf#page=2) [c](c.pdf)"}]}]})x";
  const Trace trace = parse_edtrace(theirs, "a.json");
  const auto text = [&trace](const EdtraceExport& form) {
    return Json::parse(export_edtrace(trace, form)).at("steps")[0].at("renderings")[0].at("data");
  };
  EXPECT_EQ(text({.addresses = {{"a.png", "data:image/png;base64,AA=="},
                                {"b.pdf", "data:application/octet-stream;base64,AA=="}}}),
            "![A](data:image/png;base64,AA==) [b](b.pdf#page=2) [c](c.pdf)");
  EXPECT_EQ(text({.addresses = {{"a.png", "f/a.png"}, {"b.pdf", "f/b.pdf"}}}),
            "![A](f/a.png) [b](f/b.pdf#page=2) [c](c.pdf)");
}

TEST(EdtraceExport, FilesLinksNotesAndPlots) {
  const Json spaced = renderings_of(R"([
      {"kind":"image","src":"a b#?%.svg","alt":"A","caption":"C","width":90},
      {"kind":"video","src":"v.mp4"},
      {"kind":"link","function":"f"},{"kind":"link","function":"Box"},
      {"kind":"link","url":"https://e.org","label":"here"},
      {"kind":"link","title":"T","authors":["Ada Byron","C D"],"date":"1843"},
      {"kind":"note","markdown":"N"},{"kind":"link","title":"U","authors":["Jane Doe"]},{"kind":"plot","spec":{"mark":"bar"}}])");
  Json made = Json::array();
  for (const Json& rendering : spaced) {
    if (rendering.at("data") != " ") made.push_back(rendering);  // blanks between links
  }
  ASSERT_EQ(made.size(), 10U);
  EXPECT_EQ(made[0].at("data"), "there/ab.svg");
  EXPECT_EQ(made[0].at("style").dump(), R"({"width":90})");
  EXPECT_EQ(made[1].at("data"), "C");
  EXPECT_EQ(made[1].at("style").dump(), R"({"display":"block"})");
  EXPECT_EQ(made[2].at("type"), "video");
  EXPECT_EQ(made[3].at("internal_link").dump(), R"({"path":"a.cpp","line_number":3})");
  EXPECT_EQ(made[4].at("internal_link").dump(), R"({"path":"a.cpp","line_number":1})");
  EXPECT_EQ(made[5].at("external_link").at("title"), "here");
  EXPECT_EQ(made[6].at("data"), "[Byron+ 1843]");
  EXPECT_TRUE(made[6].at("external_link").at("url").is_null());
  EXPECT_EQ(made[7].at("type"), "note");
  EXPECT_EQ(made[8].at("external_link").at("date"), "");  // not "[Doe null]"
  EXPECT_EQ(made[9].at("data").dump(), R"({"mark":"bar"})");
  // Its viewer would fail on an object.
  EXPECT_EQ(
      renderings_of(R"([{"kind":"plot","spec":{"mark":"bar"}}])", EdtraceGeneration::of_2025)[0].at("type"),
      "markdown");
}

TEST(EdtraceExport, APlotIsAPictureWhereThereIsOne) {
  const Trace trace =
      showing(R"([{"kind":"plot","spec":{"mark":"bar"}},{"kind":"plot","spec":{"mark":"line"}}])");
  for (const auto generation : {EdtraceGeneration::of_2025, EdtraceGeneration::later}) {
    const Json shown = Json::parse(export_edtrace(trace, {.generation = generation,
                                                          .plots = {{R"({"mark":"bar"})", "data:a"}}}))
                           .at("steps")[0]
                           .at("renderings");
    EXPECT_EQ(shown[0].at("type"), "image");
    EXPECT_EQ(shown[0].at("data"), "data:a");
    EXPECT_NE(shown.back().at("type"), "image");
  }
}

TEST(EdtraceExport, NoBlankBeforePunctuationAfterALink) {
  const Json shown = renderings_of(
      R"([{"kind":"text","markdown":"See ("},{"kind":"link","url":"https://e.org","label":"here"},
      {"kind":"text","markdown":"), and"},{"kind":"text","markdown":".5 more"}])");
  ASSERT_EQ(shown.size(), 5U);
  EXPECT_EQ(shown[1].at("data"), "here");
  EXPECT_EQ(shown[2].at("data"), "), and");
  EXPECT_EQ(shown[3].at("data"), " ");
}

TEST(EdtraceExport, HiddenLinesStacksAndOutput) {
  const Json json = Json::parse(exported(sample()));
  // @hide, and the further lines of hooks.
  EXPECT_EQ(json.at("hidden_line_numbers").dump(), R"({"sample.cpp":[31,32,33,34,35,38,41,42,43,62]})");
  const Json& inner = json.at("steps")[9];
  ASSERT_EQ(inner.at("stack").size(), 2U);
  EXPECT_EQ(
      inner.at("stack")[0].dump(),
      R"({"path":"sample.cpp","line_number":49,"function_name":"main","code":"auto counts = count_pairs(ids);  // @inspect counts"})");
  EXPECT_EQ(inner.at("stack")[1].at("function_name"), "count_pairs");
  EXPECT_EQ(json.at("steps")[38].at("stdout"), "3 pairs\n");
  const Json old = Json::parse(exported(sample(), EdtraceGeneration::of_2025));
  EXPECT_FALSE(old.contains("hidden_line_numbers"));
  EXPECT_EQ(old.at("steps")[0].at("stderr"), "");
}

TEST(EdtraceExport, HiddenDefinitionsStayHidden) {
  Trace trace = sample();
  trace.sources[0].hidden = {{1, 2}, {60, 1000}};
  const std::size_t size = trace.sources[0].lines.size();
  const Json hidden = Json::parse(exported(trace)).at("hidden_line_numbers").at("sample.cpp");
  EXPECT_EQ(hidden[0], 1);
  EXPECT_EQ(hidden[1], 2);
  EXPECT_EQ(hidden.back(), size);
  const Json old = Json::parse(exported(trace, EdtraceGeneration::of_2025));
  EXPECT_TRUE(old.at("files").at("sample.cpp").get<std::string>().starts_with("\n\n")) << "blank lines";
}

TEST(EdtraceExport, HostileValuesAndRenderingsBreakNothing) {
  for (const char* const value :
       {R"({"dtype":1,"shape":"x","data":[]})", R"({"dtype":"float32","shape":[-1,"a"],"data":{}})",
        R"({"dtype":"float32","shape":[3,0],"data":[1,2,3]})",
        R"({"dtype":"d","shape":[2],"indices":[1],"data":[1,2]})",
        R"({"dtype":"d","shape":[2],"indices":[[0,"b"]],"data":[1,2]})", R"({"items":5,"size":"x"})",
        R"({"entries":[1,[2],[3,4,5]]})", R"({"fields":{"a":[1,2]}})", R"({"text":[],"type":{}})",
        R"({"bytes":7})", R"({"value":{"value":{"size":1}}})", R"([1,[2]])", "[]", "{}", "null",
        R"({"edtrace":{"type":"T"}})", R"({"type":"T","text":"a","edtrace":[[[]]]})"}) {
    for (const auto generation : {EdtraceGeneration::of_2025, EdtraceGeneration::later}) {
      const std::string made = written(Json::parse(value), generation);
      ASSERT_TRUE(Json::accept(made)) << value << made;
      EXPECT_TRUE(generation == EdtraceGeneration::of_2025 || Json::parse(made).at("type").is_string());
    }
  }
  for (
      const char* const show :
      {R"([1,null,"x",[]])", R"([{}])", R"([{"kind":7}])", R"([{"kind":"table","header":5,"rows":{"a":1}}])",
       R"([{"kind":"graph","nodes":[1],"edges":"x"}])", R"([{"kind":"link","authors":[1,{}]}])",
       R"([{"kind":"image","src":{},"width":"wide"}])", R"([{"kind":"text","edtrace":[1]}])",
       R"([{"kind":"text","edtrace":[{"type":"markdown"}]}])",
       R"([{"kind":"text","markdown":"a"},{"kind":"text","edtrace":[{"type":"markdown"}]},{"kind":"text","markdown":"b"}])"}) {
    for (const auto generation : {EdtraceGeneration::of_2025, EdtraceGeneration::later})
      EXPECT_TRUE(renderings_of(show, generation).is_array()) << show;
  }
}

TEST(EdtraceExport, RefusesStacksThatWouldExplode) {
  std::string records = R"({"format":"lectern-trace/1","lecture":"l","records":[
{"source":0,"path":"a.cpp","language":"cpp","lines":["int fact(int n) {"," return n * fact(n-1); }","int main() { fact(9); }"]},
{"function":0,"name":"main","source":0,"span":[3,1,3,23]},
{"function":1,"name":"fact","source":0,"span":[1,1,2,26]},
{"site":0,"function":1,"span":[2,2,2,24]},
{"stack":0,"function":0}
)";
  for (int depth = 1; depth <= 1000; ++depth) {
    const std::string number = std::to_string(depth), parent = std::to_string(depth - 1);
    records += ",{\"stack\":" + number + ",\"function\":1,\"parent\":" + parent + ",\"call\":0}\n";
    records += ",{\"at\":0,\"in\":" + number + ",\"enter\":1}\n";
  }
  const Trace trace = parse_trace(records + R"(,{"end":"return","steps":1000}]})", "a.json");
  try {
    exported(trace);
    FAIL() << "exported 501,500 frames";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a.cpp:1: in edtrace's form each step has its whole call stack: 1,000 steps, up to 1,001 "
                 "calls deep, would be 501,500 frames, more than 500,000; put `// @stepover` on the "
                 "definition of `fact` and run it again");
  }
}

}  // namespace
}  // namespace lectern
