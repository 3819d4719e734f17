#include <gtest/gtest.h>

#include "base/files.h"
#include "record/run_program.h"

namespace lectern {
namespace {

using test::run_program;
using Lines = std::vector<std::string>;
using Json = nlohmann::ordered_json;

TEST(Record, GivesACallAStepBeforeAndOneAfter) {
  const auto recorded = run_program("calls", {"nested"});
  EXPECT_EQ(recorded.lines(),
            (Lines{"main 10 +1", "main > outer 14 +1", "main > outer > leaf 13 +1", "main > outer 14 after",
                   "main > outer 15", "main > outer > leaf 13 +1", "main 10 after", "main 12", "main 22"}));
  EXPECT_EQ(recorded.end["end"], "return");
  EXPECT_EQ(recorded.end["steps"], 9);
}

TEST(Record, KeepsWhatAStatementShowedBetweenTwoCalls) {
  const auto recorded = run_program("calls", {"two"});
  EXPECT_EQ(recorded.lines(), (Lines{"main 10 +1", "main > leaf 13 +1", "main > leaf 13 +1", "main 10 after",
                                     "main 12", "main 22"}));
  EXPECT_EQ(recorded.steps[3]["show"][0]["markdown"], "first");
  EXPECT_EQ(recorded.steps[3]["vars"]["v"]["value"], 2);
}

TEST(Record, KeepsWhatAStatementPrintedBetweenTwoCallsBeforeTheSecond) {
  const auto recorded = run_program("calls", {"two printing"});
  EXPECT_EQ(recorded.lines(), (Lines{"main 10 +1", "main > leaf 13 +1", "main 10 after", "main > leaf 13 +1",
                                     "main 10 after", "main 12", "main 22"}));
  EXPECT_EQ(recorded.steps[2]["out"], "between\n");
  EXPECT_EQ(recorded.steps[2]["show"][0]["markdown"], "first");
  EXPECT_EQ(recorded.steps[4]["vars"]["v"]["value"], 2);
}

TEST(Record, KeepsWhatAReturnPrintsAfterACall) {
  const auto recorded = run_program("calls", {"printing"});
  EXPECT_EQ(recorded.lines(), (Lines{"main 10 +1", "main > outer 15 +1", "main > outer > leaf 13 +1",
                                     "main > outer 15 after", "main 10 after", "main 12", "main 22"}));
  EXPECT_EQ(recorded.steps[1]["out"], "before ");
  EXPECT_FALSE(recorded.steps[2].contains("out"));
  EXPECT_EQ(recorded.steps[3]["out"], "1 after\n");
}

TEST(Record, GivesTheCallsBetweenPassesToTheHeaderOfTheLoop) {
  const auto recorded = run_program("calls", {"range"});
  EXPECT_EQ(recorded.lines(),
            (Lines{"main 10 +1", "main 11", "main > leaf 13 +1", "main 11 after", "main 12", "main 11",
                   "main > leaf 13 +1", "main 11 after", "main 12", "main > leaf 13 +1", "main 12 after",
                   "main 11", "main > leaf 13 +1", "main 11 after", "main 12", "main 22"}));
  EXPECT_EQ(recorded.steps[3]["vars"]["v"]["value"], 0);
  EXPECT_EQ(recorded.steps[7]["vars"]["v"]["value"], 1);
  const auto returned = run_program("calls", {"return in range"});
  EXPECT_EQ(returned.lines(), (Lines{"main 10 +1", "main > outer 14 +1", "main > outer 15",
                                     "main > outer > leaf 13 +1", "main 10 after", "main 12", "main 22"}));
}

TEST(Record, HasNoStepAfterForAStatementLeftByAnException) {
  const auto recorded = run_program("calls", {"caught"});
  EXPECT_EQ(recorded.lines(), (Lines{"main 10 +1", "main > thrower 16 +1", "main 11", "main 12", "main 22"}));
  EXPECT_EQ(recorded.steps[2]["vars"]["v"]["value"], 1);
}

TEST(Record, HasNoStepAfterForAStatementWhoseExceptionRunsDestructors) {
  const auto recorded = run_program("calls", {"unwinding"});
  EXPECT_EQ(recorded.lines(), (Lines{"main 10 +1", "main > thrower 16 +1", "main > leaf 13 +1", "main 11",
                                     "main 12", "main 22"}));
}

TEST(Record, GoesOnAfterClaimsOfAnExercise) {
  const auto recorded = run_program("exercise", {"claims"});
  EXPECT_EQ(recorded.lines(),
            (Lines{"main 10 +1", "main 11", "main 12", "main > check 20 +1", "main 12 after", "main 13",
                   "main > check 20 +1", "main > check 21", "main 13 after", "main 14"}));
  EXPECT_EQ(recorded.steps[0]["claims"], Json::parse(R"x([{"ok":false,"text":"assert(one == 2)"}])x"));
  EXPECT_EQ(recorded.steps[1]["claims"],
            Json::parse(R"([{"ok":false,"threw":"std::logic_error: not written"}])"));
  EXPECT_EQ(recorded.steps[4]["claims"], Json::parse(R"([{"ok":false,"threw":"not there; put it there"}])"))
      << "Lectern's own errors say enough";
  EXPECT_EQ(recorded.steps[7]["claims"], Json::parse(R"([{"ok":true}])"));
  EXPECT_EQ(recorded.end["end"], "return");
  EXPECT_EQ(recorded.end["exercise"], true);
  EXPECT_FALSE(run_program("calls", {"nested"}).end.contains("exercise"));
}

TEST(Record, EndsWithAnExerciseThatCannotGoOn) {
  const auto thrown = run_program("exercise", {"throw"});
  EXPECT_EQ(thrown.end["end"], "exception");
  EXPECT_EQ(thrown.end["exercise"], true);
  const auto left_out = run_program("exercise", {"left-out"});
  EXPECT_EQ(left_out.end["end"], "claim") << "a claim that fails unseen would be taken to hold";
  EXPECT_EQ(run_program("exercise", {"thread"}).end["end"], "claim");
}

TEST(Record, FollowsRecursionThousandsDeep) {
  const auto recorded = run_program("calls", {"deep", "5000"});
  ASSERT_EQ(recorded.steps.size(), 1u + 5001 + 1 + 2);
  // Each call is a stack of its own, on top of the one before.
  int stacks = 0;
  for (const Json& record : recorded.document["records"]) {
    if (!record.contains("stack")) continue;
    EXPECT_EQ(record["stack"], stacks);
    EXPECT_EQ(record.value("parent", -1), stacks - 1);
    ++stacks;
  }
  EXPECT_EQ(stacks, 5002);
  for (std::size_t i = 0; i <= 5001; ++i) EXPECT_EQ(recorded.steps[i]["in"], i);
  EXPECT_EQ(recorded.steps[5002]["after"], true);
  EXPECT_EQ(recorded.steps[5002]["in"], 0);
}

TEST(Record, NamesInstantiations) {
  const auto recorded = run_program("calls", {"template"});
  EXPECT_EQ(recorded.lines(),
            (Lines{"main 10 +1", "main > lm::twice<int, 3> 18 +1", "main > lm::twice<std::string, 1> 18 +1",
                   "main > lm::twice<int, 3> 18 +1", "main 10 after", "main 12", "main 22"}));
}

TEST(Record, StepsOverWhatAStatementCalls) {
  const auto recorded = run_program("calls", {"over"});
  EXPECT_EQ(recorded.lines(), (Lines{"main 10 +1", "main > over 19 +1", "main > over 20", "main 10 after",
                                     "main 12", "main 22"}));
  EXPECT_EQ(recorded.steps[1]["show"][0]["markdown"], "inside");
  EXPECT_EQ(recorded.steps[1]["out"], "printed inside\n");
}

TEST(Record, NeverStepsIntoAFunctionThatIsSteppedOver) {
  const auto recorded = run_program("calls", {"over-function"});
  EXPECT_EQ(recorded.lines(), (Lines{"main 10 +1", "main > leaf 13 +1", "main 10 after", "main 11",
                                     "main > leaf 13 +1", "main 11 after", "main 12", "main 22"}));
  EXPECT_EQ(recorded.steps[2]["show"].size(), 3U);
  EXPECT_EQ(recorded.steps[2]["ran"].size(), 2U) << "once for each function that ran unrecorded";
}

TEST(Record, GoesOnAfterAJumpOutOfAFunctionThatIsSteppedOver) {
  const auto recorded = run_program("calls", {"over-jump"});
  EXPECT_EQ(recorded.lines(),
            (Lines{"main 10 +1", "main 11", "main > leaf 13 +1", "main 11 after", "main 12", "main 22"}));
}

TEST(Record, InspectsAtEveryPassAndRecordsNothingOfIt) {
  const auto recorded = run_program("calls", {"loop"});
  EXPECT_EQ(recorded.lines(), (Lines{"main 10 +1", "main 11", "main 11", "main 11", "main 12", "main 22"}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(recorded.steps[i + 1]["vars"]["v"]["value"], i);
    EXPECT_FALSE(recorded.steps[i + 1].contains("out"));
  }
}

TEST(Record, StepsStaticInitialisers) {
  setenv("LECTERN_TEST_BEFORE_MAIN", "1", 1);
  const auto recorded = run_program("calls", {"none"});
  unsetenv("LECTERN_TEST_BEFORE_MAIN");
  EXPECT_EQ(recorded.lines(), (Lines{"early 21 +1", "main 10 +1", "main 12", "main 22"}));
  EXPECT_EQ(recorded.steps[0]["out"], "early bird\n");
}

TEST(Record, TellsTheStatusThatMainReturned) {
  const auto recorded = run_program("calls", {"status"});
  EXPECT_EQ(recorded.end["end"], "return");
  EXPECT_EQ(recorded.end["status"], 7);
  EXPECT_EQ(recorded.outcome.status, 7);
  EXPECT_FALSE(recorded.last().contains("ended"));
}

std::string without_times(const std::filesystem::path& path) {
  std::string text = read_file(path), kept;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 6, ",\"ns\":") == 0) {
      for (at += 6; at < text.size() && text[at] >= '0' && text[at] <= '9';) ++at;
    } else {
      kept += text[at++];
    }
  }
  return kept;
}

TEST(Record, IsTheSameInEveryRunButForTimes) {
  for (const char* what : {"nested", "over", "template", "deep"}) {
    const test::TemporaryFolder folder;
    RunOptions options = test::run_options(folder, "calls", {what, "100"});
    options.lecture = "same";
    run_lecture(options);
    const std::string first = without_times(options.output);
    options.output = folder / "other.json";
    run_lecture(options);
    EXPECT_EQ(first, without_times(options.output)) << what;
    EXPECT_NE(first.find("\"lecture\":\"same\""), std::string::npos);
  }
}

TEST(Record, MeasuresWallTime) {
  const auto recorded = run_program("calls", {"nested"});
  for (const Json& step : recorded.steps) {
    if (step.contains("ns")) {
      EXPECT_GT(step["ns"].get<long>(), 0);
      EXPECT_LT(step["ns"].get<long>(), 10'000'000'000);
    }
  }
}

TEST(Record, TellsWhatTensorsCostAndWhatMemoryTheyTake) {
  const auto recorded = run_program("costs", {"none"});
  ASSERT_EQ(recorded.steps.size(), 3U);
  EXPECT_EQ(recorded.steps[0]["flops"], 7);
  EXPECT_EQ(recorded.steps[0]["bytes"], 14);
  EXPECT_EQ(recorded.steps[0]["memory"], Json({{"cpu", {64, 1064}}}));
  EXPECT_FALSE(recorded.steps[1].contains("flops"));
  EXPECT_EQ(recorded.steps[0]["categories"], Json({{"cpu", {32, 0, 0, 16}}}))
      << "a device without any is left out";
  EXPECT_FALSE(recorded.steps[1].contains("memory")) << "nothing has changed";
  EXPECT_FALSE(recorded.steps[1].contains("categories"));
}

TEST(Record, TellsWhatDevicesCanDo) {
  const auto cpu = run_program("costs", {"none"});
  EXPECT_EQ(cpu.document["profile"]["ceilings"],
            Json::parse(R"({"cpu:0":{"flops":{"float32":5e10},"bytes":2e10,"measured":true}})"));
  EXPECT_FALSE(run_program("calls", {"nested"}).document["profile"].contains("ceilings"))
      << "there are no tensors";
  EXPECT_EQ(cpu.document["profile"]["device"], "the device of cpu");
}

TEST(Record, CostsOfACallAreThoseOfTheCallee) {
  const auto recorded = run_program("costs", {"call"});
  ASSERT_EQ(recorded.steps.size(), 6U);
  EXPECT_EQ(recorded.steps[2]["flops"], 1) << "before the first call";
  EXPECT_EQ(recorded.steps[3]["flops"], 100);
  EXPECT_EQ(recorded.steps[4]["flops"], 100);
  EXPECT_EQ(recorded.steps[5]["flops"], 2) << "between the calls and after them";
}

TEST(Record, InspectingCostsNothing) {
  const auto recorded = run_program("costs", {"inspect"});
  EXPECT_EQ(recorded.steps[2]["vars"]["value"]["value"], true);
  EXPECT_EQ(recorded.steps[2]["flops"], 1);
  EXPECT_FALSE(recorded.steps[2].contains("memory"));
}

TEST(Record, ACrashTellsWhatItsStepCost) {
  const auto recorded = run_program("costs", {"crash"});
  EXPECT_EQ(recorded.end["end"], "abort");
  EXPECT_EQ(recorded.steps[2]["flops"], 5);
}

TEST(Record, NothingWithoutASupervisor) {
  const test::TemporaryFolder folder;
  const std::string command =
      test::program("calls").string() + " over > '" + (folder / "out.txt").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_file(folder / "out.txt"), "printed inside\n");
}

}  // namespace
}  // namespace lectern
