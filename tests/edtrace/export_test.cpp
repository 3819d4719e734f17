#include "edtrace/export.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/json_text.h"
#include "base/json_view.h"
#include "edtrace/import.h"
#include "edtrace/markdown.h"
#include "edtrace/value.h"
#include "trace/json_fields.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace lectern {
namespace {

const std::filesystem::path tests = std::filesystem::path(LECTERN_SOURCE_DIR) / "tests";

std::string fixture(const std::string& name) {
  return read_file(tests / "edtrace/traces" / name);
}

Trace sample() {
  return read_trace(tests / "site/sample.json");
}

std::string exported(const Trace& trace, EdtraceGeneration generation = EdtraceGeneration::later) {
  return export_edtrace(trace, {.generation = generation, .files_url = "var/traces/sample.assets/"});
}

Json later(const char* value) {
  return value_to_edtrace(Json::parse(value), EdtraceGeneration::later);
}

/// What stands beside is taken away, wherever it is; so are renderings for the viewer only.
void remove_beside(Json& json) {
  if (json.is_object()) json.erase(kOursBeside);
  if (json.is_array()) {
    Json kept = Json::array();
    for (const Json& inner : json) {
      if (!inner.is_object() || inner.value(kOursBeside, Json()) != kAddedForViewer) kept.push_back(inner);
    }
    json = std::move(kept);
  }
  if (json.is_structured()) {
    for (Json& inner : json) remove_beside(inner);
  }
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

TEST(EdtraceExport, OurTraceComesBackAsItWas) {
  const Trace trace = sample();
  const Trace back = parse_edtrace(exported(trace), "elsewhere.json");
  EXPECT_EQ(write_trace(back), write_trace(trace));
  EXPECT_FALSE(came_from_edtrace(back));
}

TEST(EdtraceExport, WhatBothCanSayComesBackWithoutWhatStandsBeside) {
  const Trace trace = sample();
  Json json = Json::parse(exported(trace));
  remove_beside(json);
  const Trace back = parse_edtrace(json.dump(), "sample.json");
  ASSERT_EQ(back.steps.size(), trace.steps.size());
  EXPECT_EQ(back.sources[0].lines, trace.sources[0].lines);
  EXPECT_EQ(back.sources[0].language, "cpp");
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const auto line = [](const Trace& of, const Step& step) {
      return of.sites[static_cast<std::size_t>(step.site)].span.line;
    };
    const Step &was = trace.steps[i], &is = back.steps[i];
    EXPECT_EQ(line(back, is), line(trace, was)) << i;
    EXPECT_EQ(is.after, was.after) << i;
    EXPECT_EQ(is.enter, was.enter) << i;
    EXPECT_EQ(back.stacks[static_cast<std::size_t>(is.stack)].depth,
              trace.stacks[static_cast<std::size_t>(was.stack)].depth);
    const Json was_details = step_json(was), is_details = step_json(is);
    for (const char* const name : {"out", "err", "clear"})
      EXPECT_EQ(is_details.value(name, Json()).dump(), was_details.value(name, Json()).dump()) << i;
    for (const char* const name : {"ids", "i", "n", "merge", "large", "text_of_it"}) {
      const auto value = [&](const Json& details) {
        Json of_name = details.value("vars", Json::object()).value(name, Json());
        // Types of C++'s numbers are Python's there.
        if (of_name.contains("value") && of_name["value"].is_number()) of_name.erase("type");
        return of_name.dump();
      };
      EXPECT_EQ(value(is_details), value(was_details)) << i << name;
    }
    const Json was_show = was_details.value("show", Json::array()),
               is_show = is_details.value("show", Json::array());
    for (std::size_t k = 0; k < was_show.size(); ++k) {
      const std::string kind = was_show[k].at("kind");
      if (kind != "text" && kind != "link" && kind != "note") continue;
      Json shown = is_show.at(k);
      shown.erase(kEdtraceBeside);
      Json said = was_show[k];
      if (kind == "text") said["markdown"] = for_edtrace_viewer(said.at("markdown").get<std::string>());
      EXPECT_EQ(shown.dump(), said.dump());
    }
  }
  EXPECT_TRUE(back.sites[static_cast<std::size_t>(back.steps[35].site)].hide);
}

TEST(EdtraceExport, TheirTracesComeBackAsTheyWere) {
  for (const auto& [name, generation] : {std::pair("tensors_2025.json", EdtraceGeneration::of_2025),
                                         std::pair("tensors_later.json", EdtraceGeneration::later)}) {
    const std::string theirs = with_valid_numbers(fixture(name));
    const Trace trace = parse_edtrace(theirs, name);
    const std::string back = exported(trace, generation);
    EXPECT_TRUE(edtrace_meaning(back) == edtrace_meaning(theirs)) << name;
    EXPECT_TRUE(Json::accept(back)) << name;
    // Through a file of ours too.
    EXPECT_TRUE(exported(parse_trace(write_trace(trace), name), generation) == back) << name;
    EXPECT_EQ(back.find("\"lectern\""), std::string::npos);
  }
}

TEST(EdtraceExport, UnknownFieldsOfTheirsComeBack) {
  const std::string theirs =
      R"({"files":{"a.py":"x","b.py":""},"hidden_line_numbers":{"a.py":[],"b.py":[]},"version":{"a":[1]},"steps":[)"
      R"({"stack":[{"path":"a.py","line_number":1,"function_name":"main","code":"shown otherwise"}],)"
      R"("env":{"x":{"type":"T","contents":{"a":{"type":"int","contents":1}},"device":"cpu"}},)"
      R"("renderings":[{"type":"markdown","data":"t","style":{"color":"red"},"animate":true,"later":[1]}],"took":1.5}]})";
  EXPECT_EQ(edtrace_meaning(exported(parse_edtrace(theirs, "a.json"))), edtrace_meaning(theirs));
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
      {R"({"type":"double","value":0.5})", R"({"type":"float","contents":0.5})"},
      {R"({"type":"char","value":"a"})", R"({"type":"char","contents":"a"})"},
      {R"({"type":"double","value":{"float":"-inf"}})", R"({"type":"float","contents":"-inf"})"},
      {R"({"type":"std::string","value":"abc","size":9})",
       "{\"type\":\"std::string\",\"contents\":\"abc\u2026\"}"},
      {R"({"type":"std::string","value":{"bytes":"e4bd"}})",
       R"({"type":"std::string","contents":"b'\\xe4\\xbd'"})"},
      {R"({"type":"std::vector<int>","items":[1,2],"size":9})",
       "{\"type\":\"std::vector<int>\",\"contents\":[{\"type\":\"int\",\"contents\":1},"
       "{\"type\":\"int\",\"contents\":2},{\"type\":\"str\",\"contents\":\"\u2026\"}]}"},
      {R"({"type":"M","entries":[[{"items":[1,2]},true],["a",null]]})",
       R"({"type":"M","contents":{"[1,2]":{"type":"bool","contents":true},"a":{"type":"NoneType","contents":"None"}}})"},
      {R"({"type":"M","entries":[["a",1],["a",2]]})",
       R"({"type":"M","contents":[{"type":"tuple","contents":[{"type":"str","contents":"a"},{"type":"int","contents":1}]},)"
       R"({"type":"tuple","contents":[{"type":"str","contents":"a"},{"type":"int","contents":2}]}]})"},
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
       R"({"type":"Storage","contents":"storage 2"})"},
      {R"({"type":"Tensor","dtype":"float32","shape":[2,2],"strides":[1,2],"device":"cpu","data":[0.1,2.0,{"float":"nan"},4.0]})",
       R"({"type":"torch.Tensor","contents":[[0.10000000149011612,2.0],["nan",4.0]],"dtype":"torch.float32","shape":[2,2]})"},
      {R"({"type":"Tensor","dtype":"int64","shape":[],"data":[7]})",
       R"({"type":"torch.Tensor","contents":7,"dtype":"torch.int64","shape":[]})"},
      {R"({"type":"Tensor","dtype":"float32","shape":[4096,64],"storage":2})",
       R"({"type":"Tensor","contents":"float32[4096,64]"})"},
  };
  for (const auto& [ours, theirs] : cases) {
    Json made = later(ours);
    EXPECT_EQ(Json::parse(value_from_edtrace(made.dump())).dump(), Json::parse(ours).dump())
        << "lost: " << ours;
    remove_beside(made);
    EXPECT_EQ(made.dump(), Json::parse(theirs).dump()) << ours;
  }
}

TEST(EdtraceExport, SummariesHaveGaps) {
  Json made = later(
      R"({"type":"Tensor","dtype":"int64","shape":[9,4],"indices":[[0,8],[0,1,3]],"data":[1,2,4,33,34,36],"stats":{"min":1}})");
  remove_beside(made);
  EXPECT_EQ(made.at("contents").dump(), "[[1,2,\"\u2026\",4],[\"\u2026\"],[33,34,\"\u2026\",36]]");
  EXPECT_EQ(made.at("shape").dump(), "[9,4]");
}

TEST(EdtraceExport, TheNumbersOfATensorStandThereOnce) {
  const Json made =
      later(R"({"type":"Tensor","dtype":"int64","shape":[2],"strides":[1],"storage":1,"data":[1,2]})");
  EXPECT_EQ(made.at(kOursBeside).dump(),
            R"({"type":"Tensor","dtype":"int64","shape":[2],"strides":[1],"storage":1})");
}

TEST(EdtraceExport, BareValuesFor2025) {
  const auto bare = [](const char* value) {
    return value_to_edtrace(Json::parse(value), EdtraceGeneration::of_2025).dump();
  };
  EXPECT_EQ(bare(R"({"type":"int","value":5})"), "5");
  EXPECT_EQ(bare(R"({"type":"S","fields":[["x",{"type":"V","items":[1,null,{"float":"nan"}]}]]})"),
            R"({"x":[1,null,"nan"]})");
  EXPECT_EQ(bare(R"({"type":"Tensor","dtype":"float32","shape":[1,2],"data":[0.5,1.0]})"), "[[0.5,1.0]]");
}

TEST(EdtraceExport, WhatStandsBesideCountsWhileItSaysTheSame) {
  Json value = later(R"({"type":"M","entries":[[{"items":[1]},2]]})");
  value["contents"]["[1]"]["contents"] = 3;  // somebody changed it
  EXPECT_EQ(Json::parse(value_from_edtrace(value.dump())).at("fields").dump(), R"([["[1]",3]])");

  Json ours = Json::parse(value_from_edtrace(R"({"type":"T","contents":"a","more":1})"));
  EXPECT_EQ(value_to_edtrace(ours, EdtraceGeneration::later).dump(),
            R"({"type":"T","contents":"a","more":1})");
  ours["text"] = "b";
  EXPECT_EQ(value_to_edtrace(ours, EdtraceGeneration::later).dump(), R"({"type":"T","contents":"b"})");

  Json trace = Json::parse(exported(showing(R"([{"kind":"callout","type":"note","markdown":"M"}])")));
  Json& rendering = trace["steps"][0]["renderings"][0];
  EXPECT_EQ(step_json(parse_edtrace(trace.dump(), "a.json").steps[0]).at("show")[0].at("kind"), "callout");
  rendering["data"] = "changed";
  EXPECT_EQ(step_json(parse_edtrace(trace.dump(), "a.json").steps[0]).at("show").dump(),
            R"([{"kind":"text","markdown":"changed"}])");
}

TEST(EdtraceExport, Renderings) {
  const std::vector<std::pair<const char*, const char*>> markdown{
      {R"({"kind":"text","markdown":"a *b*"})", "a *b*"},
      {R"({"kind":"verbatim","text":"# ```\nx"})", "````\n# ```\nx\n````"},
      {R"({"kind":"front","title":"T","authors":["A","B"],"date":"2026","description":"D"})",
       "**T**\n\nA, B \u00B7 2026\n\nD"},
      {R"({"kind":"table","header":["a|b"],"rows":[["1","2"],["x\ny"]]})",
       "| a\\|b |  |\n| --- | --- |\n| 1 | 2 |\n| x y |  |\n"},
      {R"({"kind":"table","header":["`a|b`"],"rows":[["c\\|d"],["$\\|v\\|$"]]})",
       "| `a\\|b` |\n| --- |\n| c\\|d |\n| $\\\\\\|v\\\\\\|$ |\n"},
      {R"({"kind":"graph","nodes":[{"id":"a","label":"A"}],"edges":[{"from":"a","to":"b","label":"e"}]})",
       "- a: A\n- a \u2192 b (e)\n"},
      {R"({"kind":"card","title":"T","url":"https://e.org","markdown":"M"})",
       "**[T](<https://e.org>)**\n\nM"},
      {R"({"kind":"callout","type":"warning","title":"W","markdown":"a\nb"})",
       "> **Warning: W**\n> \n> a\n> b"},
      {R"({"kind":"exercise","markdown":"Q","answer":"A"})", "**Exercise.** Q\n\n**Answer.** A"},
      {R"({"kind":"system","command":"ls","text":"\u001b[31ma\u001b[0m\n","status":2})",
       "```\n$ ls\na\n\n(exit status 2)\n```"},
      {R"({"kind":"value","name":"x","value":{"type":"V","items":[1,2]}})", "```\nx = [1,2]\n```"},
      {R"({"kind":"link","function":"no_such"})", "`no_such`"},
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
      {R"(a *b* [c](https://e.org/a_b~c) `<i>$x$`)", R"(a *b* [c](https://e.org/a_b~c) `<i>$x$`)"},
      {R"($\{a,b\}$ $a*b$)", R"($\\{a,b\\}$ $a\*b$)"},
      {R"($\mathbb{E}_{x}[f](y)$)", R"($\\mathbb{E}\_{x}\[f\](y)$)"},
      {R"($a<b>c$)", R"($a\<b\>c$)"},
      {R"($$a \\ b$$)", R"($$a \\\\ b$$)"},
      {R"(\$5, $6 and \*)", R"(\\$5, \\$6 and \*)"},
      {R"(<b>no</b> <https://e.org> 1 < 2)", R"(&lt;b>no&lt;/b> <https://e.org> 1 &lt; 2)"},
      {R"(~a~ ~~b~~ https://e.org/~c)", R"(\~a\~ ~~b~~ https://e.org/~c)"},
      {"```\n<b> $x$\n```\n<b>", "```\n<b> $x$\n```\n&lt;b>"},
  };
  for (const auto& [ours, theirs] : cases) EXPECT_EQ(for_edtrace_viewer(ours), theirs);
  // What it was comes back.
  const Trace trace = showing(R"([{"kind":"text","markdown":"$a*b$ <i>"},{"kind":"link","function":"f"},)"
                              R"({"kind":"plot","spec":{"mark":"bar"},"caption":"C"}])");
  for (const auto generation : {EdtraceGeneration::of_2025, EdtraceGeneration::later})
    EXPECT_EQ(write_trace(parse_edtrace(exported(trace, generation), "a.json")), write_trace(trace));
}

/// Two files: in `a.cpp` two hooks on a line and a loop on one, in `b.cpp` a hook on line 1. `b.cpp` begins
/// with a blank line, `a.cpp` ends with a hook over two lines, a hidden one and a note.
Trace with_crowded_lines() {
  return parse_trace(R"({"format":"lectern-trace/1","lecture":"l","records":[
{"source":0,"path":"b.cpp","language":"cpp","lines":["","B();"]},
{"source":1,"path":"a.cpp","language":"cpp","lines":["A(); B();","for (;;) { C(); }","D(","1);","E();","F();","G();"]},
{"function":0,"name":"g","source":0,"span":[1,1,2,5]},
{"function":1,"name":"f","source":1,"span":[1,1,7,5]},
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

TEST(EdtraceExport, ALineShowsAllThatItsLastPassShowed) {
  const Trace trace = with_crowded_lines();
  for (const auto generation : {EdtraceGeneration::of_2025, EdtraceGeneration::later}) {
    const std::string text = exported(trace, generation);
    const Json json = Json::parse(text);
    EXPECT_EQ(shown_at(json, 1), "A B");
    EXPECT_EQ(shown_at(json, 2), "C 2");
    EXPECT_EQ(shown_at(json, 7),
              "```\nG();\n```**Ended:** The run ended with an exception of type E: no \\<b\\>");
    EXPECT_EQ(shown_at(json, 9), "in b");
    EXPECT_EQ(json.at("steps")[11].at("stack")[1].at("path"), "b.cpp");
    EXPECT_EQ(write_trace(parse_edtrace(text, "a.json")), write_trace(trace));
  }
}

TEST(EdtraceExport, FilesHaveNoLinesOfTheSameNumber) {
  const Json json = Json::parse(exported(with_crowded_lines()));
  EXPECT_EQ(json.at("files").at("a.cpp"), "A(); B();\nfor (;;) { C(); }\nD(\n1);\nE();\nF();\nG();\n");
  EXPECT_EQ(json.at("files").at("b.cpp"), "// Here no line of the lecture stands.\n\n\n\n\n\n\n\nB();\n");
  EXPECT_EQ(json.at("hidden_line_numbers").dump(), R"({"b.cpp":[1,2,3,4,5,6,7],"a.cpp":[4,5]})");
}

TEST(EdtraceExport, For2025WhatReadersAreNotToSeeIsNotThere) {
  const Json json = Json::parse(exported(with_crowded_lines(), EdtraceGeneration::of_2025));
  EXPECT_EQ(json.at("files").at("a.cpp"), "A(); B();\nfor (;;) { C(); }\nD(\n\n\n\nG();\n");
  EXPECT_EQ(shown_at(json, 5), "");
  EXPECT_EQ(shown_at(json, 6), "");
  EXPECT_EQ(json.at("steps")[10].at("env").dump(), R"({"x":"None","y":5})");
  EXPECT_EQ(json.at("steps")[12].at("env").dump(), "{}");
  EXPECT_EQ(Json::parse(exported(with_crowded_lines())).at("steps")[12].at("env").dump(), R"({"x":null})");
}

TEST(EdtraceExport, LongIntegersAndEqualKeys) {
  const std::string theirs =
      R"({"type":"list","contents":[{"type":"int","contents":-123456789012345678901234567890}]})";
  const Json ours = Json::parse(value_from_edtrace(theirs));
  EXPECT_EQ(edtrace_text(value_to_edtrace(ours, EdtraceGeneration::later)), theirs);
  EXPECT_EQ(edtrace_text(value_to_edtrace(ours, EdtraceGeneration::of_2025)),
            "[-123456789012345678901234567890]");
  const char* const text = R"({"type":"int","contents":"123456789012345678901234567890"})";
  EXPECT_EQ(edtrace_text(value_to_edtrace(Json::parse(value_from_edtrace(text)), EdtraceGeneration::later)),
            text);
  EXPECT_EQ(Json::parse(value_from_edtrace(R"({"1":"a","2":"b","1":"c"})")).at("entries").dump(),
            R"([["1","c"],["2","b"]])");
  EXPECT_EQ(edtrace_meaning(R"({"1":"a","1":"c"})"), edtrace_meaning(R"({"1":"c"})"));
}

TEST(EdtraceExport, FilesThatWereMovedAreLookedForThere) {
  const std::string theirs =
      R"({"files":{"a.py":"x"},"steps":[{"stack":[{"path":"a.py","line_number":1,"function_name":"main","code":"x"}],)"
      R"("env":{},"renderings":[{"type":"image","data":"./images/a.png","style":{}}],"stdout":"","stderr":""}]})";
  const Trace trace = parse_edtrace(theirs, "a.json");
  const auto address = [&trace](const EdtraceExport& form) {
    return Json::parse(export_edtrace(trace, form)).at("steps")[0].at("renderings")[0].at("data");
  };
  EdtraceExport form{.generation = EdtraceGeneration::of_2025, .files_url = "elsewhere/"};
  EXPECT_EQ(address(form), "./images/a.png");
  form.moved_files = {"images/a.png"};
  EXPECT_EQ(address(form), "elsewhere/images/a.png");
  const Trace back = parse_edtrace(export_edtrace(trace, form), "a.json");
  EXPECT_EQ(step_json(back.steps[0]).at("show")[0].at("src"), "images/a.png");
}

TEST(EdtraceExport, FilesLinksNotesAndPlots) {
  Json made = renderings_of(R"([
      {"kind":"image","src":"a b#?%.svg","alt":"A","caption":"C","width":90},
      {"kind":"video","src":"v.mp4"},
      {"kind":"link","function":"f"},{"kind":"link","function":"Box"},
      {"kind":"link","url":"https://e.org","label":"here"},
      {"kind":"link","title":"T","authors":["Ada Byron","C D"],"date":"1843"},
      {"kind":"note","markdown":"N"},{"kind":"link","title":"U","authors":["Jane Doe"]},{"kind":"plot","spec":{"mark":"bar"}}])");
  remove_beside(made);  // blanks between links
  ASSERT_EQ(made.size(), 10U);
  EXPECT_EQ(made[0].at("data"), "var/traces/sample.assets/a%20b%23%3F%25.svg");
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
      const Json made = value_to_edtrace(Json::parse(value), generation);
      EXPECT_TRUE(Json::accept(made.dump())) << value;
      EXPECT_TRUE(generation == EdtraceGeneration::of_2025 || made.at("type").is_string()) << value;
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

}  // namespace
}  // namespace lectern
