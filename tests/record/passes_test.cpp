// Loops of which some passes are recorded (@steps).

#include <gtest/gtest.h>

#include "record/run_program.h"

namespace lectern {
namespace {

using Json = nlohmann::ordered_json;

test::Recorded run(const std::string& how, int first, int last, int passes) {
  return test::run_program("passes",
                           {how, std::to_string(first), std::to_string(last), std::to_string(passes)});
}

/// The lines of the steps of main, "×n" for n passes left out.
std::string steps(const test::Recorded& recorded) {
  std::string list;
  for (std::string line : recorded.lines()) {
    for (const std::string_view noise : {"main > ", "main ", " +1"})
      for (std::size_t at; (at = line.find(noise)) != std::string::npos;) line.erase(at, noise.size());
    list += (list.empty() ? "" : " ") + line;
  }
  return list;
}

/// What a record of left-out passes says.
std::string left_out(const test::Recorded& recorded) {
  std::string list;
  for (const Json& record : recorded.document.at("records")) {
    if (!record.contains("left_out")) continue;
    list += record["left_out"].dump() + record.value("runs", Json::array()).dump() +
            record.value("calls", Json::array()).dump();
  }
  return list;
}

TEST(Passes, FirstAndLast) {
  EXPECT_EQ(steps(run("plain", 2, 1, 6)), "10 11 12 11 12 ×3 11 12 11 24");
  EXPECT_EQ(steps(run("plain", 2, 0, 6)), "10 11 12 11 12 ×4 11 24");
  EXPECT_EQ(steps(run("plain", 0, 2, 6)), "10 11 ×4 11 12 11 12 11 24");
  EXPECT_EQ(steps(run("plain", 3, 3, 6)), "10 11 12 11 12 11 12 11 12 11 12 11 12 11 24");
  EXPECT_EQ(steps(run("plain", 3, 1, 0)), "10 11 24");
  EXPECT_EQ(run("plain", 2, 1, 100).end["steps"], 9);
}

TEST(Passes, KeepTheirOutput) {
  const auto recorded = run("plain", 1, 1, 5);
  EXPECT_EQ(recorded.steps[2]["out"], "pass 1\n");
  EXPECT_EQ(recorded.steps[4]["out"], "pass 5\n");
  EXPECT_FALSE(recorded.steps[3].contains("out"));
  const auto first = run("plain", 1, 0, 5);
  EXPECT_FALSE(first.steps[3].contains("out")) << first.steps[3];
}

TEST(Passes, OfTheLastStatementKeepTheirOutput) {
  const auto recorded = run("last", 1, 0, 4);
  EXPECT_EQ(steps(recorded), "10 11 12 ×3");
  EXPECT_EQ(recorded.last()["out"], "pass 1\n");
  EXPECT_EQ(left_out(recorded), "1[[1,3],[2,3]][]");
}

TEST(Passes, CountWhatEachStatementAndFunctionRan) {
  EXPECT_EQ(left_out(run("odd", 1, 1, 7)), "1[[1,5],[2,5],[3,3]][]");
  EXPECT_EQ(left_out(run("odd", 1, 0, 7)), "1[[1,6],[2,6],[3,4]][]");
  EXPECT_EQ(left_out(run("call", 1, 0, 4)), "1[[1,3],[2,3]][[1,3]]");
  EXPECT_EQ(left_out(run("call", 1, 1, 4)), "1[[1,2],[2,2]][[1,2]]");
}

TEST(Passes, ThatAreLeftOutShowNothing) {
  const auto recorded = run("hook", 1, 0, 4);
  int shown = 0;
  for (const Json& step : recorded.steps) shown += step.contains("show");
  EXPECT_EQ(shown, 1);
}

TEST(Passes, OfALoopInALoop) {
  EXPECT_EQ(steps(run("nested", 1, 1, 4)), "10 11 12 14 15 ×2 14 15 14 ×2 11 12 14 15 ×2 14 15 14 11 24");
  EXPECT_EQ(steps(run("nested", 1, 0, 4)), "10 11 12 14 15 ×2 14 15 14 ×3 11 24");
}

TEST(Passes, OfRecursion) {
  EXPECT_EQ(
      steps(run("recursion", 1, 0, 2)),
      "10 recursive 21 recursive 22 recursive 23 recursive > recursive 21 recursive > recursive 22 "
      "recursive > recursive 23 ×1 recursive > recursive 22 recursive 23 after ×1 recursive 22 10 after 24");
}

TEST(Passes, AreLeftByEveryWayOut) {
  EXPECT_EQ(steps(run("break", 1, 1, 4)), "10 11 12 ×2 11 12 24");
  EXPECT_EQ(steps(run("break", 1, 0, 4)), "10 11 12 ×3 24");
  EXPECT_EQ(steps(run("throw", 1, 1, 4)), "10 11 12 ×2 11 12 24");
  EXPECT_EQ(steps(run("throw", 1, 0, 4)), "10 11 12 ×3 24");
  EXPECT_EQ(steps(run("return", 1, 1, 4)), "10 returns 20 ×2 returns 19 returns 20 10 after 24");
  EXPECT_EQ(steps(run("return", 1, 0, 4)), "10 returns 20 ×3 10 after 24");
}

TEST(Passes, OfALoopThatIsTheFirstStatementAnnounceItsFunction) {
  EXPECT_EQ(steps(run("return", 0, 1, 4)), "10 returns 19 ×3 returns 19 returns 20 10 after 24");
}

TEST(Passes, InWhichTheRunEndsAreRecorded) {
  for (const auto& [how, by] :
       {std::pair("uncaught", "exception"), std::pair("exit", "exit"), std::pair("claim", "claim"),
        std::pair("abort", "abort"), std::pair("fault", "signal")}) {
    const auto held = run(how, 1, 1, 4), muted = run(how, 1, 0, 4);
    EXPECT_EQ(steps(held), "10 11 12 ×2 11 12") << how;
    EXPECT_EQ(steps(muted), "10 11 12 ×2 12") << how;
    EXPECT_EQ(left_out(muted), "1[[1,2],[2,2],[1,1]][]") << how;
    for (const auto* recorded : {&held, &muted}) {
      EXPECT_EQ(recorded->last()["ended"]["by"], by);
      EXPECT_EQ(recorded->end["end"], by);
    }
  }
  EXPECT_EQ(run("claim", 1, 0, 4).last()["claims"][0]["text"], "assert(i < 0)");
}

TEST(Passes, ThatAreHeldBackAreLostWithAKill) {
  const auto recorded = run("kill", 1, 1, 4);
  EXPECT_EQ(steps(recorded), "10 11 12");
  EXPECT_EQ(recorded.last()["ended"]["by"], "killed");
  EXPECT_EQ(recorded.last()["out"], "pass 1\n");
  EXPECT_EQ(recorded.end["end"], "killed");
}

TEST(Passes, ThatTakeTooMuchMemoryAreLeftOut) {
  EXPECT_EQ(steps(run("large", 1, 6, 8)), "10 11 12 ×4 11 12 11 12 11 12 11 24");
}

TEST(Passes, NameFunctionsThatRanUnrecorded) {
  EXPECT_EQ(run("quiet", 1, 0, 3).steps[2]["ran"][0], 4);
  // Not where the step may be left out.
  EXPECT_EQ(run("quiet", 0, 1, 3).last()["ran"][0], 4);
}

}  // namespace
}  // namespace lectern
