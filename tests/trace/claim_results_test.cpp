#include "trace/claim_results.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

using State = ClaimResult::State;

/// A statement on each line, of main and then of one more function.
class ExerciseTrace {
 public:
  explicit ExerciseTrace(const std::vector<std::string>& statements, std::size_t of_main = 99) {
    trace.sources.push_back({.path = "merge.cpp", .language = "cpp", .lines = {}});
    for (const std::string& statement : statements) trace.sources[0].lines.push_back(statement);
    trace.functions = {{.name = "main"}, {.name = "check"}};
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const int line = static_cast<int>(i) + 1;
      const bool claim = statements[i].find("assert") != std::string::npos;
      trace.sites.push_back({.function = i < of_main ? 0 : 1,
                             .span = {line, 1, line, static_cast<int>(statements[i].size()) + 1},
                             .kind = claim ? SiteKind::claim : SiteKind::statement});
    }
    trace.end.exercise = true;
  }

  /// A step of the statement on that line.
  ExerciseTrace& step(int line, const std::string& details) {
    trace.steps.push_back({.site = line - 1, .text = details});
    return *this;
  }
  std::string report() const { return claim_report(trace, claim_results(trace), "mine/"); }

  Trace trace;
};

TEST(ClaimResults, TellEachClaimInTheOrderOfTheSource) {
  ExerciseTrace run({"assert(merged.size() == 3);", "  assert( merged[0] == 4 );", "assert(sorted(merged));",
                     "assert(late);"});
  run.step(2, R"({"claims":[{"ok":false,"op":"==","left":0,"right":4}]})");
  run.step(1, R"({"claims":[{"ok":true,"op":"==","left":3,"right":3}]})");
  run.step(3, R"({"claims":[{"ok":false,"threw":"std::out_of_range: at"}]})");
  EXPECT_EQ(run.report(),
            "1 of 4 claims hold\n"
            "  \u2713 mine/merge.cpp:1  merged.size() == 3\n"
            "  \u2717 mine/merge.cpp:2  merged[0] == 4  (left 0, right 4)\n"
            "  \u2717 mine/merge.cpp:3  sorted(merged)  (threw std::out_of_range: at)\n"
            "  \u2013 mine/merge.cpp:4  late  (not reached)\n");
}

TEST(ClaimResults, DoNothingToATerminal) {
  ExerciseTrace run({"assert(\x1b]0;title\x07 a);"});
  run.step(1,
           R"({"claims":[{"ok":false,"threw":"std::runtime_error: \u001b[2J\r1 of 1 claims hold\nall"}]})");
  run.trace.sources[0].path = "\x1b[A.cpp";
  EXPECT_EQ(run.report(),
            "0 of 1 claims hold\n"
            "  \u2717 mine/\u241b[A.cpp:1  \u241b]0;title\u2407 a  "
            "(threw std::runtime_error: \u241b[2J\u240d1 of 1 claims hold\u23ceall)\n");
}

TEST(ClaimResults, HoldIfTheyHeldEachTime) {
  ExerciseTrace run({"assert(i < 2);", "assert(i < 3);"});
  for (const int i : {1, 2, 3}) {
    run.step(1, R"({"claims":[{"ok":)" + std::string(i < 2 ? "true" : "false") + R"(,"op":"<","left":)" +
                    std::to_string(i) + R"(,"right":2}]})");
    run.step(2, R"({"claims":[{"ok":true}]})");
  }
  const std::vector<ClaimResult> results = claim_results(run.trace);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].state, State::failed);
  EXPECT_EQ(results[0].why, "left 2, right 2") << "the first time that it failed";
  EXPECT_EQ(results[1].state, State::held);
}

TEST(ClaimResults, OfWhatMainCallsAreNoClaims) {
  ExerciseTrace run({"check();", "assert(a);"}, 1);
  run.step(1, R"({"claims":[{"ok":false,"threw":"not written yet"}]})");
  EXPECT_EQ(run.report(),
            "0 of 1 claims hold\n"
            "  \u2717 mine/merge.cpp:1  check();  (threw not written yet)\n"
            "  \u2013 mine/merge.cpp:2  a  (not reached)\n");
}

TEST(ClaimResults, OfFunctionsThatAreSteppedOverStandWhereTheyWereCalled) {
  ExerciseTrace run({"check();  // @stepover", "assert(a);", "assert(b == 1);"}, 1);
  run.trace.functions[1].ran_unrecorded = true;
  run.step(1, R"x({"claims":[{"ok":true,"text":"assert(a)"},{"ok":false,"op":"==","left":2,"right":1}]})x");
  const std::vector<ClaimResult> results = claim_results(run.trace);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(count_claims(results).all, 2U);
  EXPECT_EQ(count_claims(results).held, 1U);
  for (const ClaimResult& result : results) EXPECT_EQ(result.line, 1);
}

}  // namespace
}  // namespace lectern
