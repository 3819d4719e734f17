#include "check/report.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "check/diff.h"
#include "check/run_builder.h"
#include "trace/decode.h"

namespace lectern {
namespace {

using test::RunBuilder;

Report report_of(const std::string& before, const std::string& now) {
  RunBuilder old_run("main() {\n  x = 1;\n}\n"), new_run("main() {\n  x = 1;\n}\n");
  old_run.step("x", before);
  new_run.step("x", now);
  Report report;
  report.lectures.push_back({.diff = diff_traces(old_run.trace, new_run.trace), .folder = "lectures"});
  report.remedy = "Accept it.";
  return report;
}

const char* const kOne = R"({"vars":{"x":{"type":"int","value":1}}})";
const char* const kTwo = R"({"vars":{"x":{"type":"int","value":2}}})";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Report, HasAnExitStatus) {
  EXPECT_EQ(report_of(kOne, kOne).status(), 0);
  Report report = report_of(kOne, kTwo);
  EXPECT_EQ(report.status(), 1);
  report.lectures.push_back({.diff = {.lecture = "other"}, .failure = "it did not build"});
  EXPECT_EQ(report.status(), 2);
}

TEST(TextReport, SaysWhatAndWhereAndHowToAcceptIt) {
  const Report report = report_of(kOne, kTwo);
  const std::string text = text_report(report, {});
  EXPECT_TRUE(contains(text, "example  1 difference  (1 step)\n")) << text;
  EXPECT_TRUE(contains(text, "  #" + report.lectures[0].diff.items[0].id + "  lectures/example.cpp:2  value"))
      << text;
  EXPECT_TRUE(contains(text, "x: 1 → 2\n")) << text;
  EXPECT_TRUE(text.ends_with("1 lecture: 0 the same; 1 value\nAccept it.\n")) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_TRUE(contains(text_report(report, {.color = true}), "\x1b["));
  EXPECT_EQ(text_report(report_of(kOne, kOne), {}), "example  same  (1 step)\n1 lecture: 1 the same\n");
}

TEST(TextReport, ShowsFiftyItemsAndCountsTheOthers) {
  Report report = report_of(kOne, kTwo);
  std::vector<Difference>& items = report.lectures[0].diff.items;
  items.resize(70, items[0]);
  const std::string text = text_report(report, {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '#'), 50);
  EXPECT_TRUE(contains(text, "\n20 items more; --all shows them\n")) << text;
  const std::string all = text_report(report, {.limit = 0});
  EXPECT_EQ(std::count(all.begin(), all.end(), '#'), 70);
}

TEST(TextReport, NothingOfATraceActsOnTheTerminal) {
  const Report report = report_of(R"({"out":"a"})", R"({"out":"\u001b[2J\u202eb"})");
  const std::string text = text_report(report, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_TRUE(contains(text, "␛[2J\\u{202E}b")) << text;
}

TEST(TextReport, CountsWhatCouldNotBeCompared) {
  Report report = report_of(kOne, kOne);
  report.lectures.push_back({.diff = {.lecture = "broken"}, .failure = "it was not built"});
  EXPECT_TRUE(text_report(report, {}).ends_with("2 lectures: 1 the same; 1 could not be compared\n"));
}

TEST(JsonReport, HasEveryItem) {
  const Json json = Json::parse(json_report(report_of(kOne, kTwo)));
  EXPECT_EQ(json["format"], "lectern-diff/1");
  EXPECT_EQ(json["verdict"], "differs");
  const Json& item = json["lectures"][0]["items"][0];
  EXPECT_EQ(item["kind"], "value");
  EXPECT_EQ(item["subject"], "x");
  EXPECT_EQ(item["new"]["path"], "lectures/example.cpp");
  EXPECT_EQ(item["new"]["line"], 2);
  EXPECT_EQ(item["new"]["step"], 1);
  EXPECT_TRUE(item["new"]["link"].get<std::string>().starts_with("#step=main~"));
}

TEST(GithubReport, IsOneCommandAnItem) {
  Report report = report_of(R"({"out":"a"})", R"({"out":"b\n::error::% fake"})");
  const std::string text = github_report(report);
  EXPECT_TRUE(text.starts_with(
      "::error file=lectures/example.cpp,line=2,title=example%3A rendering::printed: a → b⏎"))
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_TRUE(contains(text, "%25 fake")) << text;
}

}  // namespace
}  // namespace lectern
