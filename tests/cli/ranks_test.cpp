// Runs of several processes, as `check`, `diff` and `verdict` see them.
#include "trace/ranks.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "cli/baselines.h"
#include "cli/compare_runs.h"
#include "cli/run_end.h"
#include "has.h"
#include "temporary_folder.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

using test::has;

class RankTraces : public testing::Test {
 protected:
  RankTraces() {
    workspace_.root = folder_.path();
    workspace_.profile = "cpu";
    workspace_.traces = folder_ / "build/traces/cpu";
    workspace_.repository = true;
  }

  /// A trace for each value of x.
  fs::path record(const fs::path& traces, const std::vector<int>& values,
                  const std::string& end = "return") const {
    const fs::path first = traces / "a.json";
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
      const std::string number = std::to_string(rank), size = std::to_string(values.size());
      const std::string own_end = rank + 1 < values.size() ? "return" : end;
      write_file(rank_file(first, static_cast<int>(rank)),
                 R"({"format":"lectern-trace/1",
"lecture":"a",
"profile":{"name":"cpu","rank":)" +
                     number + R"(,"world_size":)" + size + R"(},
"records":[
{"source":0,"path":"a.cpp","language":"cpp","lines":["int main() {","  int x = rank;","}"]},
{"function":0,"name":"main","source":0,"span":[1,1,3,2]},
{"site":0,"function":0,"span":[2,3,2,16]},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"vars":{"x":{"type":"int","value":)" +
                     std::to_string(values[rank]) + R"(}}},
{"end":")" + own_end +
                     R"("}
]}
)");
    }
    return first;
  }
  static std::string report_of(const std::vector<LectureReport>& lectures) {
    return text_report({.lectures = lectures}, {});
  }

  test::TemporaryFolder folder_;
  Workspace workspace_;
};

TEST_F(RankTraces, AreComparedRankByRank) {
  const fs::path before = record(folder_ / "before", {0, 1, 2}), now = record(folder_ / "now", {0, 7, 2});
  const std::vector<LectureReport> reports = compare_runs(before, now, {}, false);
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_TRUE(reports[0].diff.same() && reports[2].diff.same());
  const std::string said = report_of(reports);
  EXPECT_TRUE(has(said, "a rank 0  same")) << said;
  EXPECT_TRUE(has(said, "a rank 1  1 difference")) << said;
  EXPECT_TRUE(has(said, "x: 1 → 7")) << said;
  EXPECT_TRUE(has(said, "1 lecture: 0 the same; 1 value")) << said;
  EXPECT_TRUE(has(json_report({.lectures = reports}), "\"rank\": 1"));
  EXPECT_EQ(compare_runs(rank_file(before, 1), rank_file(now, 1), {}, false).front().rank, 1) << "one alone";
}

TEST_F(RankTraces, OfAnotherNumberAreADifference) {
  const fs::path one = record(folder_ / "one", {0}), three = record(folder_ / "three", {0, 1, 2});
  const std::string more = report_of(compare_runs(one, three, {}, false));
  EXPECT_TRUE(has(more, "a rank 2  1 difference")) << more;
  EXPECT_TRUE(has(more, "added        lecture: the run has 3 processes now, and had 1 before")) << more;
  const std::string fewer = report_of(compare_runs(three, one, {}, false));
  EXPECT_TRUE(has(fewer, "the run had 3 processes before, and has 1 now")) << fewer;
}

TEST_F(RankTraces, ThatAreMissingAreSaid) {
  const fs::path before = record(folder_ / "traces/cpu", {0, 1}), now = record(workspace_.traces, {0, 1});
  const std::vector<Lecture> lectures{{.name = "a", .source = folder_ / "lectures/a.cpp"}};
  EXPECT_EQ(compare_with_accepted(workspace_, lectures, true, {}).status(), 0);
  fs::remove(rank_file(before, 1));
  const Report accepted_is_gone = compare_with_accepted(workspace_, lectures, true, {});
  EXPECT_EQ(accepted_is_gone.status(), 2);
  EXPECT_TRUE(
      has(accepted_is_gone.lectures[1].failure, "a.rank1.json, is not there: `lectern accept` it anew"))
      << accepted_is_gone.lectures[1].failure;
  fs::remove(rank_file(now, 1));
  const Report gone = compare_with_accepted(workspace_, lectures, true, {});
  EXPECT_EQ(gone.status(), 2);
  EXPECT_TRUE(has(gone.lectures[0].failure, "the trace of rank 1 of 2 is not there; run the lecture again"))
      << gone.lectures[0].failure;
}

TEST_F(RankTraces, ThatWereCutOffAreSaidByTheRankThatFailedFirst) {
  record(folder_ / "traces/cpu", {0, 1, 2});
  const fs::path now = record(workspace_.traces, {0, 1, 2}, R"(killed","failed_rank":1,"x":")");
  std::string text = read_file(rank_file(now, 1));
  text.replace(text.find(R"({"end":"return")"), 15, R"({"end":"abort","status":1)");
  write_file(rank_file(now, 1), text);
  const std::vector<Lecture> lectures{{.name = "a", .source = folder_ / "lectures/a.cpp"}};
  const Report report = compare_with_accepted(workspace_, lectures, false, {});
  EXPECT_EQ(report.status(), 2);
  EXPECT_EQ(report.lectures[0].failure, "its run did not end by itself: rank 1: The program was aborted");
}

TEST_F(RankTraces, OfOneLectureAreNoLecturesOfTheirOwn) {
  record(folder_ / "traces/cpu", {0, 1, 2});
  EXPECT_EQ(Baselines(workspace_).lectures_except({}), (std::vector<std::string>{"a"}));
  EXPECT_EQ(list_traces(folder_ / "traces/cpu").size(), 1U);
}

TEST_F(RankTraces, EndAsTheFirstThatFailed) {
  const fs::path trace = record(folder_ / "run", {0, 1, 2}, R"(exit","status":3,"x":")");
  EXPECT_EQ(read_run_end(trace).how, "exit status 3");
  EXPECT_TRUE(has(read_run_end(trace).reason, "rank 2: the lecture called exit(3)"))
      << read_run_end(trace).reason;
  record(folder_ / "run", {0, 1, 2}, R"(killed","failed_rank":1,"x":")");
  std::string text = read_file(rank_file(trace, 1));
  text.replace(text.find(R"({"end":"return")"), 15, R"({"end":"abort","status":1)");
  write_file(rank_file(trace, 1), text);
  EXPECT_TRUE(has(read_run_end(trace).reason, "rank 1: abort")) << read_run_end(trace).reason;
  record(folder_ / "run", {0, 1, 2});
  EXPECT_TRUE(read_run_end(trace).ok());
}

}  // namespace
}  // namespace lectern::cli
