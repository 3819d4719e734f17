#include "check/accept.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "check/run_builder.h"
#include "temporary_folder.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace lectern {
namespace {

using testing::RunBuilder;

constexpr const char* kProgram = "main() {\n  x = 1;\n  y = 2;\n  print();\n}\n";

RunBuilder run_of(int x, int y, const std::string& printed) {
  RunBuilder run(kProgram);
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
  RunBuilder run = run_of(1, 2, "a");
  run.trace.steps[0].ns = 5;
  run.trace.steps[1].text = R"({"flops":3,"memory":{"cpu":[1,2]}})";
  const Trace trace = accepted(run.trace);
  EXPECT_EQ(trace.steps[0].ns, 0);
  EXPECT_EQ(trace.steps[1].text, "");
  EXPECT_EQ(trace.steps[2].text, run.trace.steps[2].text);
}

TEST(Accepted, RefusesWhatDidNotEndByItself) {
  for (const char* const by : {"incomplete", "killed", "interrupted", "orphaned"}) {
    RunBuilder run = run_of(1, 2, "a");
    run.trace.end.by = by;
    EXPECT_THROW(accepted(run.trace), Error) << by;
  }
  RunBuilder run = run_of(1, 2, "a");
  run.trace.end.by = "exception";
  EXPECT_NO_THROW(accepted(run.trace));
}

TEST(AcceptItems, TakesOneItemAndLeavesTheOthers) {
  const Trace before = run_of(1, 2, "a").trace, now = run_of(5, 6, "b").trace;
  EXPECT_EQ(subjects(before, now), (std::set<std::string>{"x", "y", "printed"}));
  const Trace merged = accept_items(before, now, {}, {id_of(before, now, "y")});
  EXPECT_EQ(subjects(before, merged), std::set<std::string>{"y"});
  EXPECT_EQ(subjects(merged, now), (std::set<std::string>{"x", "printed"}));
  EXPECT_EQ(id_of(merged, now, "x"), id_of(before, now, "x"));
}

TEST(AcceptItems, TakesWhatWasPrintedWithWhatWasLeftOut) {
  const Trace before = run_of(1, 2, "a").trace;
  Trace now = before;
  now.steps[2].text = R"({"out":"b","out_cut":7})";
  const Trace merged = accept_items(before, now, {}, {id_of(before, now, "printed")});
  EXPECT_TRUE(diff_traces(merged, now).same());
}

TEST(AcceptItems, TakesTheStructureAsAWhole) {
  const Trace before = run_of(1, 2, "a").trace;
  RunBuilder longer("main() {\n  x = 1;\n  z = 3;\n  y = 2;\n  print();\n}\n");
  longer.step("x", R"({"vars":{"x":{"type":"int","value":5}}})").step("z");
  longer.step("y", R"({"vars":{"y":{"type":"int","value":2}}})").step("print", R"({"out":"b"})");
  const Trace& now = longer.trace;
  EXPECT_EQ(subjects(before, now), (std::set<std::string>{"x", "statement", "printed"}));
  const Trace merged = accept_items(before, now, {}, {id_of(before, now, "statement")});
  EXPECT_EQ(merged.steps.size(), 4U);
  EXPECT_EQ(subjects(merged, now), (std::set<std::string>{"x", "printed"}));
}

TEST(AcceptItems, RefusesAnItemThatIsNotThere) {
  const Trace run = run_of(1, 2, "a").trace;
  EXPECT_THROW(accept_items(run, run, {}, {"abcdef"}), Error);
}

TEST(AcceptItems, KeepsStoragesApart) {
  const auto tensor = [](int storage, double value) {
    return R"({"type":"Tensor","dtype":"float32","shape":[1],"strides":[1],"device":"cpu","storage":)" +
           std::to_string(storage) + R"(,"data":[)" + std::to_string(value) + "]}";
  };
  Trace before = run_of(1, 2, "a").trace, now = before;
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
  write_accepted(run_of(1, 2, "a").trace, {{"a.svg", assets / "a.svg"}}, path);
  EXPECT_EQ(read_file(folder.path() / "traces/cpu/example.assets/a.svg"), "<svg/>");
  EXPECT_EQ(write_trace(read_trace(path)), read_file(path));

  write_accepted(run_of(1, 3, "a").trace, {{"b.svg", assets / "a.svg"}}, path);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "traces/cpu/example.assets/a.svg"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "traces/cpu/example.assets/b.svg"));

  remove_accepted(path);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "traces/cpu"));
}

}  // namespace
}  // namespace lectern
