#include "check/diff.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "base/files.h"
#include "check/run_builder.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::RunBuilder;

constexpr const char* kProgram =
    "main() {\n"
    "  int x = 1;\n"
    "  int y = f(x);\n"
    "  y = f(y);\n"
    "  print(y);\n"
    "}\n"
    "f() {\n"
    "  a += 1;\n"
    "  return a;\n"
    "}\n";

std::string number(const std::string& name, int value) {
  return R"(")" + name + R"(":{"type":"int","value":)" + std::to_string(value) + "}";
}
std::string vars(const std::string& name, int value) {
  return R"({"vars":{)" + number(name, value) + "}}";
}

/// The program's run, with a's value in the first and the second call.
RunBuilder run_of(const char* program, int first, int second) {
  RunBuilder run(program);
  run.step("int x", vars("x", 1));
  run.call("int y", "f").step("a +=", vars("a", first)).step("return").back(vars("y", first));
  run.call("y = f", "f").step("a +=", vars("a", second)).step("return").back(vars("y", second));
  run.step("print", R"({"out":"done\n"})");
  return run;
}

std::vector<std::string> told(const Diff& diff) {
  std::vector<std::string> items;
  for (const Difference& item : diff.items) {
    const DifferencePlace& place = main_place(item);
    items.push_back(std::string(to_string(item.kind)) + " " + std::to_string(place.line) + " " +
                    item.subject + ": " + item.message +
                    (item.steps > 1 ? " x" + std::to_string(item.steps) : ""));
  }
  return items;
}

using Items = std::vector<std::string>;

TEST(Diff, ARunIsTheSameAsItself) {
  const RunBuilder run = run_of(kProgram, 2, 3);
  const Diff diff = diff_traces(run.trace, run.trace);
  EXPECT_TRUE(diff.same());
  EXPECT_EQ(diff.compared, run.trace.steps.size());
}

TEST(Diff, ComparesArgumentsAndWhatGoesOutOfScope) {
  constexpr const char* kBlock = "main() {\n  f(1);\n}\nf() {\n  int b = a;\n  return a;\n}\n";
  const auto run_with = [&](int argument, bool scoped) {
    RunBuilder run(kBlock);
    run.call("f(1)", "f");
    run.step("int b", R"({"args":{)" + number("a", argument) + R"(},"vars":{)" + number("b", 1) + "}}");
    run.step("return").back();
    if (scoped) run.site("f", "int b").locals.emplace_back("b", 0);
    return run;
  };
  const RunBuilder before = run_with(1, true);
  EXPECT_EQ(told(diff_traces(before.trace, run_with(1, true).trace)), Items{});
  EXPECT_EQ(told(diff_traces(before.trace, run_with(2, true).trace)), (Items{"value 5 argument a: 1 → 2"}));
  EXPECT_EQ(told(diff_traces(before.trace, run_with(1, false).trace)),
            (Items{"missing 6 b: no longer out of scope from here on"}));
}

TEST(Diff, CostsAndProfilesNeverCount) {
  RunBuilder before = run_of(kProgram, 2, 3);
  before.trace.profile->ceilings = {{"cpu", {{{"float32", 1e11}}, 2e10, true}}};
  RunBuilder now = before;
  now.trace.profile = Profile{.name = "cpu", .threads = 2};
  now.trace.profile->ceilings = {{"cpu", {{{"float32", 1e11}}, 3e10, true}}};
  for (Step& step : now.trace.steps) {
    step.ns = 17;
    const std::string costs = R"("flops":3,"bytes":4,"memory":{"cpu":[1,2]})";
    step.text =
        step.text.empty() ? "{" + costs + "}" : step.text.substr(0, step.text.size() - 1) + "," + costs + "}";
  }
  const Diff diff = diff_traces(before.trace, now.trace);
  EXPECT_EQ(told(diff), Items{});
  EXPECT_EQ(diff.notes, Items{"threads: 1 → 2"});
}

TEST(Diff, AValueIsNamedWithTheStepWhereItShows) {
  const RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 4);
  const Diff diff = diff_traces(before.trace, now.trace);
  EXPECT_EQ(told(diff), (Items{"value 8 a: 3 → 4", "value 4 y: 3 → 4"}));
  EXPECT_EQ(diff.items[0].new_place.step, 6);
  EXPECT_TRUE(diff.items[0].new_place.link.ends_with("/1.2@7")) << diff.items[0].new_place.link;
  EXPECT_EQ(diff.items[0].function, "f");
  EXPECT_NE(diff.items[0].id, diff.items[1].id);
}

TEST(Diff, EqualItemsOfAStatementAreOne) {
  const RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 5, 6);
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            (Items{"value 8 a: 2 → 5 x2", "value 3 y: 2 → 5", "value 4 y: 3 → 6"}));
}

constexpr const char* kLonger =
    "main() {\n"
    "  log();\n"
    "  int x = 1;\n"
    "  int y = f(x);\n"
    "  y = f(y);\n"
    "  print(y);\n"
    "}\n"
    "f() {\n"
    "  a += 1;\n"
    "  return a;\n"
    "}\n";

TEST(Diff, AnInsertedLineIsAllThatDiffers) {
  const RunBuilder before = run_of(kProgram, 2, 3);
  RunBuilder now(kLonger);
  now.step("log");
  now.step("int x", vars("x", 1));
  now.call("int y", "f").step("a +=", vars("a", 2)).step("return").back(vars("y", 2));
  now.call("y = f", "f").step("a +=", vars("a", 3)).step("return").back(vars("y", 3));
  now.step("print", R"({"out":"done\n"})");
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"added 2 statement: this statement is new; it runs once"});
  EXPECT_EQ(told(diff_traces(now.trace, before.trace)),
            Items{"missing 2 statement: this statement is gone; it ran once"});
}

TEST(Diff, ACallMoreLeavesTheOtherCallsAlone) {
  const char* const source = "main() {\n  f();\n  g();\n}\nf() {\n  x = 1;\n}\ng() {\n  f();\n}\n";
  RunBuilder before(source), now(source);
  before.call("f()", "f").step("x", vars("x", 1)).back().call("g", "g").back();
  now.call("f()", "f").step("x", vars("x", 1)).back();
  now.call("g", "g").call("f()", "f").step("x", vars("x", 9)).back().back();
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)), Items{"control flow 9 statement: never ran → once"});
}

TEST(Diff, ACallThatDoesNotComeBackIsControlFlow) {
  const char* const source = "main() {\n  f();\n  g();\n}\nf() {\n  x = 1;\n}\n";
  RunBuilder whole(source);
  whole.call("f()", "f").step("x").back().step("g");
  Trace cut = whole.trace;
  cut.steps.erase(cut.steps.begin() + 2);
  EXPECT_EQ(told(diff_traces(whole.trace, cut)),
            Items{"control flow 2 return: came back from its call → did not"});
  EXPECT_EQ(told(diff_traces(cut, whole.trace)),
            Items{"control flow 2 return: did not come back from its call → did"});
}

TEST(Diff, EveryReturnOfAStatementThatCallsOftenCounts) {
  const char* const source = "main() {\n  all;\n}\nf() {\n  x = 1;\n}\n";
  RunBuilder whole(source);
  for (int i = 0; i < 4; ++i) whole.call("all", "f").step("x").back();
  // As edtrace's comprehensions: one execution, to which four calls come back.
  std::erase_if(whole.trace.steps, [first = true](const Step& step) mutable {
    return step.site == 0 && !step.after && !std::exchange(first, false);
  });
  ASSERT_EQ(whole.trace.steps.size(), 9U);
  const auto count_returns = [](const Diff& diff) {
    return std::ranges::count(diff.items, "return", &Difference::subject);
  };
  for (std::size_t gone = 2; gone < 9; gone += 2) {
    Trace cut = whole.trace;
    cut.steps.erase(cut.steps.begin() + static_cast<std::ptrdiff_t>(gone));
    EXPECT_EQ(count_returns(diff_traces(whole.trace, cut)), 1) << gone;
    EXPECT_EQ(count_returns(diff_traces(cut, whole.trace)), 1) << gone;
  }
}

TEST(Diff, AStatementThatIsMetLaterIsTheSameOne) {
  const char* const source = "main() {\n  loop;\n  body;\n  rest;\n}\n";
  RunBuilder before(source), now(source);
  before.step("loop").step("body").step("rest").step("loop").step("body").step("rest");
  now.step("loop").step("rest").step("loop").step("body").step("rest");
  // As edtrace's are: numbered in the order in which they first ran.
  std::swap(now.trace.sites[1], now.trace.sites[2]);
  for (Step& step : now.trace.steps) step.site = step.site == 1 ? 2 : step.site == 2 ? 1 : step.site;
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)), Items{"control flow 3 statement: ran twice → once"});
}

TEST(Diff, ALoopThatRunsOnceMoreIsControlFlow) {
  const char* const source = "main() {\n  loop;\n  body;\n  end;\n}\n";
  RunBuilder before(source), now(source);
  for (int i = 0; i < 3; ++i) before.step("loop").step("body", vars("i", i));
  for (int i = 0; i < 4; ++i) now.step("loop").step("body", vars("i", i));
  before.step("end");
  now.step("end");
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"control flow 2 statement: ran 3 times → 4 times (2 statements, to line 3) x2"});
}

TEST(Diff, APassMoreOfAnInnerLoopLeavesTheOtherPassesAlone) {
  const char* const source = "main() {\n  outer;\n  inner;\n}\n";
  RunBuilder before(source), now(source);
  for (int i = 0; i < 3; ++i) {
    before.step("outer", vars("i", i));
    now.step("outer", vars("i", i));
    for (int j = 0; j < 2; ++j) before.step("inner", vars("j", 10 * i + j));
    for (int j = 0; j < (i == 1 ? 3 : 2); ++j) now.step("inner", vars("j", 10 * i + j));
  }
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"control flow 3 statement: ran 6 times → 7 times"});
}

TEST(Diff, ARenamedFunctionThatCallsItselfIsTheSameOne) {
  const auto run = [](const std::string& name) {
    RunBuilder built("main() {\n  x = " + name + "(2);\n}\n" + name +
                     "() {\n  if (n < 2) return n;\n  m = n - 1;\n  return " + name + "(m) + 1;\n}\n");
    built.call("x =", name)
        .step("if")
        .step("m =", vars("m", 1))
        .call("return", name)
        .step("if")
        .back()
        .back(vars("x", 2));
    return built;
  };
  EXPECT_EQ(told(diff_traces(run("fib").trace, run("fibonacci").trace)),
            (Items{"source only 2 statement: changed, with the same effect",
                   "source only 7 statement: changed, with the same effect"}));
}

TEST(Diff, AChangedStatementThatOthersFollowFromIsNoSourceOfNothing) {
  RunBuilder before("main() {\n  if (x > 5)\n  a();\n}\n"), now("main() {\n  if (x > 50)\n  a();\n}\n");
  before.step("if").step("a");
  now.step("if");
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            (Items{"control flow 3 statement: ran once → never",
                   "source only 2 statement: changed; itself it did the same"}));
}

TEST(Diff, AStatementThatNowCallsKeepsWhatItInspects) {
  RunBuilder before("main() {\n  int a = 2 + g(0);\n}\ng() {\n  return 0;\n}\n"), now = before;
  before.step("int a", R"({"vars":{"a":{"type":"int","value":2}},"out":"x"})");
  now.call("int a", "g").step("return", {}).back(vars("a", 2));
  now.trace.steps[0].text = R"({"out":"x"})";
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)), Items{"control flow 5 statement: never ran → once"});
  EXPECT_EQ(told(diff_traces(now.trace, before.trace)), Items{"control flow 5 statement: ran once → never"});
  now.trace.steps.back().text = vars("a", 3);
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            (Items{"value 2 a: 2 → 3", "control flow 5 statement: never ran → once"}));
}

TEST(Diff, WhatWasPrintedBeyondWhatIsKeptCounts) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  now.trace.steps.back().text = R"({"out":"done\n","out_cut":55})";
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"rendering 5 printed: beyond what is kept, 0 → 55 bytes"});
}

TEST(Diff, NumbersInTablesHaveTheToleranceOfAll) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  const auto table = [](const char* cell) {
    return R"({"show":[{"kind":"table","header":["a"],"rows":[["x"],[")" + std::string(cell) + R"("]]}]})";
  };
  before.trace.steps[0].text = table("1.0 s");
  now.trace.steps[0].text = table("1.001 s");
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"rendering 2 table: rows[1][0]: \"1.0 s\" → \"1.001 s\""});
  now.site("main", "int x").tolerances = {{.names = {"*"}, .rel = 0.01, .abs = {}}};
  EXPECT_TRUE(diff_traces(before.trace, now.trace).same());
}

TEST(Diff, TheLineInAnErrorsTextDoesNotCount) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  const auto thrown = [](const std::string& what) {
    return R"({"out":"done\n","ended":{"by":"exception","type":"lectern::Error","what":")" + what + R"("}})";
  };
  before.trace.end.by = now.trace.end.by = "exception";
  before.trace.steps.back().text = thrown("a.cpp:5: no image");
  now.trace.steps.back().text = thrown("a.cpp:6: no image");
  EXPECT_TRUE(diff_traces(before.trace, now.trace).same());
}

TEST(Diff, AStatementThatChangedWithoutEffectIsSourceOnly) {
  const RunBuilder before = run_of(kProgram, 2, 3);
  RunBuilder now = run_of(kProgram, 2, 3);
  now.trace.sources[0].lines[1] = "  int x = 2 - 1;";
  now.trace.sites[0].span.end_column += 4;
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"source only 2 statement: changed, with the same effect"});
  DiffOptions options;
  options.ignored = {DifferenceKind::source};
  EXPECT_TRUE(diff_traces(before.trace, now.trace, options).same());
}

TEST(Diff, AChangedStatementComparesWithTheOldOne) {
  const RunBuilder before = run_of(kProgram, 2, 3);
  RunBuilder now = run_of(kProgram, 2, 3);
  now.trace.sources[0].lines[1] = "  int x = 7;";
  now.trace.steps[0].text = vars("x", 7);
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)), Items{"value 2 x: 1 → 7"});
}

TEST(Diff, AChangedStatementIsFoundBesideAnAddedOne) {
  RunBuilder before("main() {\n  for (i < 3)\n  sum += i;\n}\n");
  RunBuilder now("main() {\n  for (i < 4)\n  log(\"more\");\n  sum += i;\n}\n");
  for (int i = 0; i < 3; ++i) before.step("for").step("sum");
  for (int i = 0; i < 4; ++i) now.step("for").step("log").step("sum");
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            (Items{"added 3 statement: this statement is new; it runs 4 times x4",
                   "control flow 2 statement: ran 3 times → 4 times (2 statements, to line 4) x2"}));
}

TEST(Diff, StatementsThatHaveLittleInCommonAreNotTheSame) {
  RunBuilder before("main() {\n  int x = 1;\n}\n"), now("main() {\n  auto y = compute(2);\n}\n");
  before.step("int");
  now.step("auto");
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            (Items{"added 2 statement: this statement is new; it runs once",
                   "missing 2 statement: this statement is gone; it ran once"}));
}

TEST(Diff, CommentsAreSourceOnlyAndBlanksToo) {
  const RunBuilder before = run_of(kProgram, 2, 3);
  RunBuilder now = run_of(kProgram, 2, 3);
  now.trace.sources[0].lines.push_back("// the end");
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"source only 11 file: comments or declarations changed"});
}

TEST(Diff, ARenamedFunctionIsTheSameOne) {
  const RunBuilder before = run_of(kProgram, 2, 3);
  RunBuilder now = run_of(kProgram, 2, 3);
  now.trace.functions[1].name = "g";
  EXPECT_TRUE(diff_traces(before.trace, now.trace).same());
}

TEST(Diff, VolatileThingsNeverCount) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 5, 3);
  now.site("f", "a +=").volatile_names = {"a"};
  now.site("main", "int y").volatile_names = {"*"};
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)), Items{});
}

std::string shown(const std::string& text) {
  return R"({"show":[{"kind":"text","markdown":")" + text +
         R"("},{"kind":"inspect","name":"y","value":{"type":"int","value":)" + std::to_string(text.size()) +
         R"(}}],"out":")" + text + R"(","claims":[{"ok":true,"left":{"type":"double","value":)" + text +
         "}}]}";
}

TEST(Diff, WhatIsShownOfAVolatileNameNeverCounts) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  before.trace.steps.back().text = shown("1.5");
  now.trace.steps.back().text = shown("2.25");
  EXPECT_EQ(diff_traces(before.trace, now.trace).items.size(), 4U);
  now.site("main", "print").volatile_names = {"z"};  // of which the statement shows nothing
  EXPECT_EQ(diff_traces(before.trace, now.trace).items.size(), 4U);
  now.site("main", "print").volatile_names = {"y"};
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)), Items{});
  // One inspected as well says nothing of what the functions print that compute it.
  now.trace.steps.back().text.insert(1, R"("vars":{)" + number("y", 3) + "},");
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)), Items{"rendering 5 printed: 1.5 → 2.25"});
}

TEST(Diff, AToleranceOfANameHoldsForWhatIsShownOfIt) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  before.trace.steps.back().text = shown("1.25");
  now.trace.steps.back().text = shown("1.26");
  EXPECT_EQ(diff_traces(before.trace, now.trace).items.size(), 3U);
  now.site("main", "print").tolerances = {{.names = {"y"}, .rel = 0.1, .abs = {}}};
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)), Items{});
  now.site("main", "print").tolerances = {{.names = {"z"}, .rel = 0.1, .abs = {}}};
  EXPECT_EQ(diff_traces(before.trace, now.trace).items.size(), 3U);
}

TEST(Diff, TheStatementsToleranceHolds) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  const auto real = [](const char* value) {
    return R"({"vars":{"x":{"type":"double","value":)" + std::string(value) + "}}}";
  };
  before.trace.steps[0].text = real("1.0");
  now.trace.steps[0].text = real("1.01");
  EXPECT_FALSE(diff_traces(before.trace, now.trace).same());
  DiffOptions options;
  options.rel = 0.1;
  EXPECT_TRUE(diff_traces(before.trace, now.trace, options).same());
  now.site("main", "int x").tolerances = {{.names = {"x"}, .rel = 0.1, .abs = {}}};
  EXPECT_TRUE(diff_traces(before.trace, now.trace).same());
  now.site("main", "int x").tolerances = {{.names = {"x"}, .rel = 0., .abs = 0.}};
  EXPECT_FALSE(diff_traces(before.trace, now.trace, options).same());
}

TEST(Diff, InspectedVariablesComeAndGo) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  now.trace.steps[0].text = R"({"vars":{)" + number("z", 4) + "}}";
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            (Items{"missing 2 x: no longer inspected here; was 1", "added 2 z: inspected here now: 4"}));
}

TEST(Diff, RenderingsPrintedTextAndClaims) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  before.trace.steps[0].text =
      R"({"show":[{"kind":"text","markdown":"old"}],"claims":[{"ok":true,"op":"<","left":1,"right":2}]})";
  now.trace.steps[0].text =
      R"({"show":[{"kind":"text","markdown":"new"}],"claims":[{"ok":true,"op":"<","left":1,"right":3}]})";
  now.trace.steps.back().text = R"({"out":"gone\n"})";
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            (Items{"value 2 claim, right side: 2 → 3", "rendering 2 text: old → new",
                   "rendering 5 printed: done⏎ → gone⏎"}));
}

TEST(Diff, ImagesCompareByTheirBytes) {
  const test::TemporaryFolder folder;
  write_file(folder.path() / "old/a.svg", "<svg/>");
  write_file(folder.path() / "new/a.svg", "<svg></svg>");
  RunBuilder run = run_of(kProgram, 2, 3);
  run.trace.steps[0].text = R"({"show":[{"kind":"image","src":"a.svg","alt":"a figure"}]})";
  DiffOptions options;
  options.files = {{{"a.svg", folder.path() / "old/a.svg"}}, {{"a.svg", folder.path() / "new/a.svg"}}};
  EXPECT_EQ(told(diff_traces(run.trace, run.trace, options)),
            Items{"rendering 2 image a.svg: its file has other bytes"});
  options.files.new_files = options.files.old_files;
  EXPECT_EQ(told(diff_traces(run.trace, run.trace, options)), Items{});
}

TEST(Diff, FilesBesideTheMainOneCompareByTheirBytes) {
  const test::TemporaryFolder folder;
  DiffOptions options;
  for (const char* const name : {"v.webm", "a.vtt", "b.vtt", "p.svg", "s.cpp"}) {
    write_file(folder.path() / "old" / name, name);
    write_file(folder.path() / "new" / name, name);
    options.files.old_files[name] = folder.path() / "old" / name;
    options.files.new_files[name] = folder.path() / "new" / name;
  }
  RunBuilder run = run_of(kProgram, 2, 3);
  run.trace.steps[0].text =
      R"({"show":[{"kind":"video","src":"v.webm","alt":"a clip","captions":[{"src":"a.vtt","lang":"en"},)"
      R"({"src":"b.vtt","lang":"de"}],"poster":"p.svg"},{"kind":"exercise","markdown":"Why?","starter":"s.cpp"}]})";
  EXPECT_EQ(told(diff_traces(run.trace, run.trace, options)), Items{});
  for (const char* const name : {"a.vtt", "b.vtt", "p.svg"}) {
    write_file(folder.path() / "new" / name, "other");
    EXPECT_EQ(told(diff_traces(run.trace, run.trace, options)),
              Items{std::string("rendering 2 video v.webm: its file ") + name + " has other bytes"});
    write_file(folder.path() / "new" / name, name);
  }
  write_file(folder.path() / "new/s.cpp", "other");
  EXPECT_EQ(told(diff_traces(run.trace, run.trace, options)),
            Items{"rendering 2 exercise: its file s.cpp has other bytes"});
}

TEST(Diff, StoragesAreTheSameByWhoSharesThem) {
  const auto tensors = [](int first, int second) {
    const auto tensor = [](int storage) {
      return R"({"type":"Tensor","dtype":"float32","shape":[1],"strides":[1],"device":"cpu","storage":)" +
             std::to_string(storage) + R"(,"data":[1.0]})";
    };
    return R"({"vars":{"a":)" + tensor(first) + R"(,"b":)" + tensor(second) + "}}";
  };
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  before.trace.steps[0].text = tensors(1, 2);
  now.trace.steps[0].text = tensors(7, 5);
  EXPECT_TRUE(diff_traces(before.trace, now.trace).same());
  now.trace.steps[0].text = tensors(7, 7);
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"value 2 b: shares its memory with other tensors than before"});
}

TEST(Diff, AnotherEndIsControlFlow) {
  const RunBuilder before = run_of(kProgram, 2, 3);
  RunBuilder now = before;
  now.trace.end.by = "signal";
  now.trace.end.signal = "SIGSEGV";
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"control flow 5 run: ended by return → signal SIGSEGV"});
}

TEST(Diff, AnotherExceptionIsAnotherEnd) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  const auto thrown = [](const std::string& what) {
    return R"({"out":"done\n","ended":{"by":"exception","type":"std::runtime_error","what":")" + what +
           R"("}})";
  };
  before.trace.end.by = now.trace.end.by = "exception";
  before.trace.steps.back().text = thrown("a");
  now.trace.steps.back().text = thrown("b");
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"control flow 5 run: ended by exception, std::runtime_error, a → exception, "
                  "std::runtime_error, b"});
}

TEST(Diff, WhatCamePastTheStreamsBelongsToTheLastStep) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  before.trace.end.out = {"17\n"};
  now.trace.end.out = {"18\n"};
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"rendering 5 printed past the streams: 17⏎ → 18⏎"});
  now.site("main", "print").volatile_names = {"*"};
  EXPECT_TRUE(diff_traces(before.trace, now.trace).same());
}

TEST(Diff, DeepRecursionIsNoTrouble) {
  const char* const source = "main() {\n  f();\n}\nf() {\n  f();\n}\n";
  RunBuilder run(source);
  run.call("f()", "f");
  for (int i = 0; i < 20'000; ++i) run.call("f()", "f");
  EXPECT_TRUE(diff_traces(run.trace, run.trace).same());
}

TEST(Diff, TracesWithoutStepsCompare) {
  RunBuilder empty(kProgram);
  EXPECT_TRUE(diff_traces(empty.trace, empty.trace).same());
  EXPECT_EQ(told(diff_traces(empty.trace, run_of(kProgram, 2, 3).trace)),
            Items{"control flow 2 statement: never ran → once (4 statements, to line 5) x4"});
}

TEST(Diff, KnowsTheOldStepToShowBesideEachNewOne) {
  const RunBuilder before = run_of(kProgram, 2, 3);
  const Diff diff = diff_traces(before.trace, before.trace);
  for (std::size_t i = 0; i < diff.nearest_old_step.size(); ++i)
    EXPECT_EQ(diff.nearest_old_step[i], static_cast<int>(i));
}

TEST(Diff, PassesThatWereLeftOutAreControlFlow) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  const auto leave_out = [](RunBuilder& run, std::int64_t passes, std::int64_t print) {
    run.trace.left_out = {
        {.loop = 0, .stack = 0, .passes = passes, .runs = {{0, passes}, {3, print}}, .before = 2}};
    run.trace.sites[0].kind = SiteKind::loop;
  };
  leave_out(before, 96, 40);
  leave_out(now, 96, 40);
  EXPECT_TRUE(diff_traces(before.trace, now.trace).same());
  leave_out(now, 97, 41);
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            (Items{"control flow 2 passes: 96 passes were not recorded → 97",
                   "control flow 5 statement: ran 41 times → 42 times"}));
  leave_out(now, 96, 40);
  before.trace.left_out[0].calls = {{1, 96}};
  now.trace.left_out[0].calls = {{1, 192}};
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"control flow 2 passes: passes that were not recorded called f: 96 → 192"});
}

TEST(Diff, AnotherFunctionOfTheNameLeavesTheOldOneAlone) {
  const char* const one = "main() {\n  g(1);\n}\ng() {\n  int area = a * a;\n  return area;\n}\n";
  const char* const two =
      "main() {\n  g(1);\n}\nh() {\n  double sum = b + b;\n  log(sum);\n}\ng() {\n  int area = a * a;\n"
      "  return area;\n}\n";
  RunBuilder before(one), now(two);
  for (RunBuilder* const run : {&before, &now}) run->call("g(1)", "g").step("int area").step("return").back();
  now.trace.functions[1].name = "g";  // an overload, which is not called
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"source only 5 statement: new, and never runs (2 statements, to line 6) x2"});
  EXPECT_EQ(told(diff_traces(now.trace, before.trace)),
            Items{"source only 5 statement: gone; it never ran (2 statements, to line 6) x2"});
  now.trace.sources[0].lines[8] = "  int area = a * a + 0;";
  EXPECT_EQ(diff_traces(before.trace, now.trace).count(DifferenceKind::missing), 0U);
}

TEST(Diff, TheTextOfASignalCounts) {
  RunBuilder before = run_of(kProgram, 2, 3), now = run_of(kProgram, 2, 3);
  for (RunBuilder* const run : {&before, &now}) {
    run->trace.end.by = "signal";
    run->trace.end.signal = "SIGSEGV";
    run->trace.steps.back().text = R"({"ended":{"by":"signal","signal":"SIGSEGV"}})";
  }
  EXPECT_TRUE(diff_traces(before.trace, now.trace).same());
  now.trace.steps.back().text = R"({"ended":{"by":"signal","what":"stack overflow","signal":"SIGSEGV"}})";
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)),
            Items{"control flow 5 run: ended by signal SIGSEGV → signal SIGSEGV, stack overflow"});
}

TEST(Diff, FilesWithoutStatementsThatComeAndGo) {
  const RunBuilder before = run_of(kProgram, 2, 3);
  RunBuilder now = run_of(kProgram, 2, 3);
  now.trace.sources.push_back({.path = "constants.h", .lines = {"constexpr int a = 1;"}});
  EXPECT_EQ(told(diff_traces(before.trace, now.trace)), Items{"source only 1 file: this file is new"});
  EXPECT_EQ(told(diff_traces(now.trace, before.trace)), Items{"source only 1 file: this file is gone"});
  RunBuilder renamed = now;
  renamed.trace.sources.back().path = "numbers.h";
  EXPECT_TRUE(diff_traces(now.trace, renamed.trace).same());
}

TEST(Diff, AFileThatOneTraceLacksIsNoted) {
  const test::TemporaryFolder folder;
  write_file(folder.path() / "a.png", "a");
  RunBuilder run = run_of(kProgram, 2, 3);
  run.trace.steps.back().text =
      R"({"show":[{"kind":"image","src":"a.png"},{"kind":"calculator","src":"b.wasm"}]})";
  DiffOptions options;
  options.files.old_files = {{"a.png", folder.path() / "a.png"},
                             {"b.wasm", folder.path() / "b.wasm"},
                             {"other.png", folder.path() / "other.png"}};
  const Diff diff = diff_traces(run.trace, run.trace, options);
  EXPECT_TRUE(diff.same());
  EXPECT_EQ(diff.uncompared_files, Items{"a.png: beside the old trace only, its bytes were not compared"});
}

}  // namespace
}  // namespace lectern
