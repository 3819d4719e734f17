#include "check/accept.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "check/run_builder.h"
#include "temporary_folder.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace lectern {
namespace {

using test::RunBuilder;

constexpr const char* kPrintingProgram = "main() {\n  x = 1;\n  y = 2;\n  print();\n}\n";

RunBuilder printing_run(int x, int y, const std::string& printed) {
  RunBuilder run(kPrintingProgram);
  const auto vars = [](const char* name, int value) {
    return R"({"vars":{")" + std::string(name) + R"(":{"type":"int","value":)" + std::to_string(value) +
           "}}}";
  };
  run.step("x", vars("x", x)).step("y", vars("y", y)).step("print", R"({"out":")" + printed + R"("})");
  return run;
}

std::set<std::string> subjects(const Trace& before, const Trace& now) {
  std::set<std::string> result;
  for (const Difference& item : diff_traces(before, now).items) result.insert(item.subject);
  return result;
}

std::string id_of(const Trace& before, const Trace& now, const std::string& subject) {
  for (const Difference& item : diff_traces(before, now).items) {
    if (item.subject == subject) return item.id;
  }
  return "none";
}

TEST(Accepted, CarriesNoCosts) {
  RunBuilder run = printing_run(1, 2, "a");
  run.trace.profile->ceilings = {{"cpu", {{{"float32", 1e11}}, 2e10, true}}};
  run.trace.steps[0].ns = 5;
  run.trace.steps[1].text = R"({"flops":3,"memory":{"cpu":[1,2]}})";
  const Trace trace = accepted(run.trace);
  EXPECT_EQ(trace.profile, (Profile{.name = "cpu", .threads = 1}));
  EXPECT_EQ(trace.steps[0].ns, 0);
  EXPECT_EQ(trace.steps[1].text, "");
  EXPECT_EQ(trace.steps[2].text, run.trace.steps[2].text);
}

TEST(Accepted, RefusesWhatDidNotEndByItself) {
  for (const char* const by : {"incomplete", "killed", "interrupted", "orphaned"}) {
    RunBuilder run = printing_run(1, 2, "a");
    run.trace.end.by = by;
    EXPECT_THROW(accepted(run.trace), Error) << by;
  }
  RunBuilder run = printing_run(1, 2, "a");
  run.trace.end.by = "exception";
  EXPECT_NO_THROW(accepted(run.trace));
}

TEST(AcceptItems, TakesOneItemAndLeavesTheOthers) {
  const Trace before = printing_run(1, 2, "a").trace, now = printing_run(5, 6, "b").trace;
  EXPECT_EQ(subjects(before, now), (std::set<std::string>{"x", "y", "printed"}));
  const Trace merged = accept_items(before, now, {}, {id_of(before, now, "y")});
  EXPECT_EQ(subjects(before, merged), std::set<std::string>{"y"});
  EXPECT_EQ(subjects(merged, now), (std::set<std::string>{"x", "printed"}));
  EXPECT_EQ(id_of(merged, now, "x"), id_of(before, now, "x"));
}

TEST(AcceptItems, TakesWhatWasPrintedWithWhatWasLeftOut) {
  const Trace before = printing_run(1, 2, "a").trace;
  Trace now = before;
  now.steps[2].text = R"({"out":"b","out_cut":7})";
  const Trace merged = accept_items(before, now, {}, {id_of(before, now, "printed")});
  EXPECT_TRUE(diff_traces(merged, now).same());
}

TEST(AcceptItems, TakesTheStructureAsAWhole) {
  const Trace before = printing_run(1, 2, "a").trace;
  RunBuilder longer("main() {\n  x = 1;\n  z = 3;\n  y = 2;\n  print();\n}\n");
  longer.step("x", R"({"vars":{"x":{"type":"int","value":5}}})").step("z");
  longer.step("y", R"({"vars":{"y":{"type":"int","value":2}}})").step("print", R"({"out":"b"})");
  const Trace& now = longer.trace;
  EXPECT_EQ(subjects(before, now), (std::set<std::string>{"x", "statement", "printed"}));
  const Trace merged = accept_items(before, now, {}, {id_of(before, now, "statement")});
  EXPECT_EQ(merged.steps.size(), 4U);
  EXPECT_EQ(subjects(merged, now), (std::set<std::string>{"x", "printed"}));
}

/// A statement that calls a function in some runs, and inspects what it became.
RunBuilder calling_run(bool calls, int y, int z) {
  RunBuilder run("main() {\n  y = b ? f() : 5;\n  z = 7;\n}\nf() {\n  w = 6;\n}\n");
  const auto vars = [](const char* name, int value) {
    return R"({"vars":{")" + std::string(name) + R"(":{"type":"int","value":)" + std::to_string(value) +
           "}}}";
  };
  if (calls) {
    run.call("y", "f").step("w", vars("w", 6)).back(vars("y", y));
  } else {
    run.step("y", vars("y", y));
  }
  run.step("z", vars("z", z));
  return run;
}

TEST(AcceptItems, TakesAVariableOfAStatementThatCallsInOneRunOnly) {
  for (const bool calls : {false, true}) {
    const Trace before = calling_run(calls, 5, 7).trace, now = calling_run(!calls, 6, 8).trace;
    const Trace with_y = accept_items(before, now, {}, {id_of(before, now, "y")});
    EXPECT_EQ(subjects(before, with_y), std::set<std::string>{"y"});
    EXPECT_EQ(subjects(with_y, now), (std::set<std::string>{"statement", "z"}));
    const Trace with_call = accept_items(before, now, {}, {id_of(before, now, "statement")});
    EXPECT_EQ(subjects(before, with_call), std::set<std::string>{"statement"});
    EXPECT_EQ(subjects(with_call, now), (std::set<std::string>{"y", "z"}));
  }
}

struct Change {
  const char* name;
  RunBuilder before, now;
};

/// Statements with a text each, that one of them prints, and another function.
RunBuilder text_run(const std::string& first, const std::string& second, bool inserted = false,
                    bool moved = false, bool helper_called = true) {
  const std::string helper = "helper() {\n  h = 1;\n}\n";
  const auto shows = [](const std::string& text) {
    return R"({"show":[{"kind":"text","markdown":")" + text + R"("}],"out":")" + text + R"("})";
  };
  std::string source = "main() {\n  text(" + first + ");\n";
  if (inserted) source += "  inserted();\n";
  source += "  text2(" + second + ");\n  helper();\n  last = " + second.substr(0, 1) + ";\n}\n";
  RunBuilder run(moved ? helper + source : source + helper);
  run.step("text(", shows(first));
  if (inserted) run.step("inserted", R"({"vars":{"i":{"type":"int","value":1}}})");
  run.step("text2", shows(second));
  if (helper_called)
    run.call("helper", "helper").step("h", R"({"vars":{"h":{"type":"int","value":1}}})").back();
  run.step("last", R"({"vars":{"last":{"type":"string","value":")" + second + R"("}}})");
  return run;
}

RunBuilder ended(RunBuilder run, const std::string& by, const std::string& what) {
  run.trace.end.by = by;
  run.trace.end.out.bytes = what;
  run.trace.steps.back().text = R"({"ended":{"by":")" + by + R"(","type":"E","what":")" + what + R"("}})";
  return run;
}

std::vector<Change> changes() {
  RunBuilder commented = text_run("a", "b");
  commented.trace.sources[0].lines.push_back("// a comment");
  return {{"a value", printing_run(1, 2, "a"), printing_run(3, 4, "a")},
          {"a value and what is printed", printing_run(1, 2, "a"), printing_run(3, 2, "b")},
          {"a text", text_run("a", "b"), text_run("c", "b")},
          {"two texts", text_run("a", "b"), text_run("c", "d")},
          {"an inserted line", text_run("a", "b"), text_run("a", "b", true)},
          {"an inserted line and texts", text_run("a", "b"), text_run("c", "d", true)},
          {"a removed line and texts", text_run("a", "b", true), text_run("c", "d")},
          {"a function that moved", text_run("a", "b"), text_run("a", "b", false, true)},
          {"a function that moved, and texts", text_run("a", "b"), text_run("c", "d", true, true)},
          {"a call left out", text_run("a", "b"), text_run("a", "d", false, false, false)},
          {"a call left out and a text", text_run("a", "b"), text_run("c", "b", true, false, false)},
          {"a call and values", calling_run(false, 5, 7), calling_run(true, 6, 8)},
          {"a call less and values", calling_run(true, 5, 7), calling_run(false, 6, 8)},
          {"a comment", text_run("a", "b"), commented},
          {"a comment and a value", text_run("x", "b"), commented},
          {"another end", text_run("a", "b"), ended(text_run("a", "b"), "exception", "bad")},
          {"another end and text", ended(text_run("a", "b"), "exception", "good"),
           ended(text_run("c", "d", true), "exception", "bad")}};
}

std::vector<std::string> ids(const Trace& before, const Trace& now) {
  std::vector<std::string> all;
  for (const Difference& item : diff_traces(before, now).items) all.push_back(item.id);
  return all;
}

TEST(AcceptItems, OneAfterTheOtherEndsAtZero) {
  for (Change& change : changes()) {
    for (const bool backwards : {false, true}) {
      Trace merged = change.before.trace;
      const Trace& now = change.now.trace;
      std::vector<std::string> listed = ids(merged, now);
      ASSERT_FALSE(listed.empty()) << change.name;
      if (backwards) std::ranges::reverse(listed);
      for (const std::string& id : listed) {
        // An item of the structure brings all others of it.
        if (std::ranges::count(ids(merged, now), id) > 0) merged = accept_items(merged, now, {}, {id});
        EXPECT_EQ(std::ranges::count(ids(merged, now), id), 0) << change.name;
      }
      EXPECT_TRUE(diff_traces(merged, now).same())
          << change.name << ": " << diff_traces(merged, now).items.front().message;
    }
  }
}

TEST(AcceptItems, RefusesAnItemThatIsNotThere) {
  const Trace run = printing_run(1, 2, "a").trace;
  EXPECT_THROW(accept_items(run, run, {}, {"abcdef"}), Error);
}

TEST(AcceptItems, KeepsStoragesApart) {
  const auto tensor = [](int storage, double value) {
    return R"({"type":"Tensor","dtype":"float32","shape":[1],"strides":[1],"device":"cpu","storage":)" +
           std::to_string(storage) + R"(,"data":[)" + std::to_string(value) + "]}";
  };
  Trace before = printing_run(1, 2, "a").trace, now = before;
  before.steps[0].text = R"({"vars":{"x":)" + tensor(1, 1) + "}}";
  before.steps[1].text = R"({"vars":{"y":)" + tensor(2, 1) + "}}";
  now.steps[0].text = R"({"vars":{"x":)" + tensor(2, 1) + "}}";
  now.steps[1].text = R"({"vars":{"y":)" + tensor(1, 7) + "}}";
  const Trace merged = accept_items(before, now, {}, {id_of(before, now, "y")});
  EXPECT_TRUE(diff_traces(merged, now).same());
}

TEST(WriteAccepted, ReplacesTraceAndAssets) {
  const test::TemporaryFolder folder;
  const auto assets = folder.path() / "new.assets", path = folder.path() / "traces/cpu/example.json";
  write_file(assets / "a.svg", "<svg/>");
  write_accepted(printing_run(1, 2, "a").trace, {{"a.svg", assets / "a.svg"}}, path);
  EXPECT_EQ(read_file(folder.path() / "traces/cpu/example.assets/a.svg"), "<svg/>");
  EXPECT_EQ(write_trace(read_trace(path)), read_file(path));

  const std::filesystem::path file = assets / "a.svg";
  write_accepted(printing_run(1, 3, "a").trace, {{"b.svg", file}, {"shared/a_calculator.wasm", file}}, path);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "traces/cpu/example.assets/shared"))
      << "made by a compiler";
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "traces/cpu/example.assets/a.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "traces/cpu/example.assets/b.svg"));

  remove_accepted(path);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "traces/cpu"));
}

}  // namespace
}  // namespace lectern
