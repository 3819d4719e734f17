#include <algorithm>
#include <csignal>
#include <cstdio>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"
#include "record/run_program.h"
#include "temporary_folder.h"
#include "trace/reader.h"

namespace lectern {
namespace {

using test::run_program;

TEST(Output, OfAllStreamsBelongsToItsStep) {
  const auto recorded = run_program("printing", {"mixed"});
  ASSERT_EQ(recorded.steps.size(), 2u);
  EXPECT_EQ(recorded.steps[0]["out"], "one two three four\n");
  EXPECT_EQ(recorded.steps[0]["err"], "wrong 5 logged");
  EXPECT_FALSE(recorded.end.contains("out"));
}

TEST(Output, WithFormatsOfItsOwnAndUnsynchronised) {
  EXPECT_EQ(run_program("printing", {"unsynchronised"}).steps[0]["out"], "fast ..1.00|ff\n");
}

TEST(Output, GoesWhereTheProgramReopensItsStream) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "reopened.txt";
  const auto recorded = run_program("printing", {"reopened", file.string()});
  EXPECT_EQ(recorded.end["end"], "return");
  EXPECT_EQ(recorded.steps[0]["out"], "captured\n");
  EXPECT_FALSE(recorded.steps[1].contains("out"));
  EXPECT_EQ(read_file(file), "into the file\n");
}

TEST(Output, OfWideCharactersIsUtf8) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "wide.txt";
  const auto recorded = run_program("printing", {"wide", file.string()});
  EXPECT_EQ(recorded.steps[0]["out"], "one tw\u00f6 3 f\u00f6ur 5 six 7 all");
  EXPECT_EQ(recorded.steps[0]["err"], "wrong 5 logged \U0001F600");
  EXPECT_FALSE(recorded.end.contains("out"));
  EXPECT_EQ(read_file(file), "elsewhere") << "other files are the C library's";
}

TEST(Output, OfWideCharactersGoesWhereTheProgramReopensItsStream) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "reopened.txt";
  const auto recorded = run_program("printing", {"wide and reopened", file.string()});
  EXPECT_EQ(recorded.steps[0]["out"], "captured\n");
  EXPECT_FALSE(recorded.steps[1].contains("out"));
  EXPECT_EQ(read_file(file), "into the file\n");
}

TEST(Output, BeforeTheFirstStepBelongsToIt) {
  EXPECT_EQ(run_program("printing", {"early"}).steps[0]["out"], "before the first step\n");
}

TEST(Output, KeepsACharacterTogetherThatWasPrintedInTwo) {
  const auto recorded = run_program("printing", {"split"});
  EXPECT_FALSE(recorded.steps[0].contains("out"));
  EXPECT_EQ(recorded.steps[1]["out"], "\xc3\xa9");
}

TEST(Output, ThatIsNotUtf8IsGivenInBytes) {
  EXPECT_EQ(run_program("printing", {"bytes"}).steps[0]["out"],
            (nlohmann::ordered_json{{"bytes", "6162ff"}}));
}

TEST(Output, IsCutBetweenCharactersAndCounted) {
  const auto recorded = run_program("printing", {"huge"});
  const std::string out = recorded.steps[0]["out"];
  EXPECT_LE(out.size(), 65536u);
  EXPECT_GT(out.size(), 65530u);
  EXPECT_EQ(out.size() + recorded.steps[0]["out_cut"].get<std::size_t>(), 150000u);
}

TEST(Output, OfAWholeRunIsBounded) {
  const test::TemporaryFolder folder;
  const RunOptions options = test::run_options(folder, "printing", {"endless"});
  testing::internal::CaptureStderr();
  run_lecture(options);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(
      said.ends_with("printing.cpp:11:1: warning: the lecture has printed 16 MB: what it prints from here on "
                     "is passed on, but not recorded; print less\n"))
      << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);

  const auto recorded = test::read_recorded(options.output);
  ASSERT_EQ(recorded.steps.size(), 502u);
  std::size_t kept = 0, cut = 0, marked = 0;
  for (const auto& step : recorded.steps) {
    kept += step.value("out", "").size();
    if (!step.contains("out_cut")) continue;
    ++marked;
    cut += step["out_cut"].get<std::size_t>();
  }
  EXPECT_EQ(kept, 16u << 20);
  EXPECT_EQ(marked, 1u) << "the step where the budget ends tells of it, once";
  EXPECT_EQ(cut, 40'000u - (16u << 20) % 40'000u);
}

TEST(Output, PastTheStreamsIsInTheEndRecord) {
  const auto recorded = run_program("printing", {"children"});
  EXPECT_EQ(recorded.steps[0]["out"], "own\n");
  EXPECT_EQ(recorded.end["out"], "child\nraw\n");
  EXPECT_EQ(recorded.end["err"], "wrong\n");
}

TEST(Output, OfOtherThreadsIsNotLost) {
  const auto recorded = run_program("printing", {"threads"});
  std::string all;
  for (const auto& step : recorded.steps) all += step.value("out", "");
  EXPECT_EQ(all, std::string(2000, 'x'));
}

TEST(Output, IsPassedOnToTheTerminal) {
  const test::TemporaryFolder folder;
  RunOptions options = test::run_options(folder, "printing", {"children"});
  options.quiet = false;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run_lecture(options);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "own\nchild\nraw\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "wrong\n");
}

TEST(Surroundings, ForkedChildrenRecordNothing) {
  const auto recorded = run_program("surroundings", {"fork"});
  EXPECT_EQ(recorded.lines(), (std::vector<std::string>{"main 10 +1", "main 11"}));
  EXPECT_EQ(recorded.end["out"], "from the child\n");
  EXPECT_EQ(recorded.end["end"], "return");
}

TEST(Surroundings, OtherThreadsAreSteppedOverWithOneWarning) {
  const test::TemporaryFolder folder;
  RunOptions options = test::run_options(folder, "surroundings", {"thread"});
  for (const bool quiet : {true, false}) {
    options.quiet = quiet;
    testing::internal::CaptureStderr();
    run_lecture(options);
    EXPECT_EQ(
        testing::internal::GetCapturedStderr(),
        "lectern: surroundings.cpp:2: warning: work runs on another thread than main: stepped over there\n")
        << "quiet or not";
  }
  const auto recorded = test::read_recorded(options.output);
  EXPECT_EQ(recorded.lines(), (std::vector<std::string>{"main 10 +1", "main 11"}));
  EXPECT_FALSE(recorded.steps[0].contains("err"));
}

std::string warnings_of(const std::string& hooks) {
  const test::TemporaryFolder folder;
  RunOptions options = test::run_options(folder, "surroundings", {hooks});
  options.author_folder = "/nowhere";
  testing::internal::CaptureStderr();
  run_lecture(options);
  return testing::internal::GetCapturedStderr();
}

TEST(Surroundings, FrontMatterComesOnceAndFirst) {
  EXPECT_EQ(warnings_of("nothing"), "") << "a program without hooks is no lecture yet";
  EXPECT_EQ(
      warnings_of("hooks"),
      "lectern: surroundings.cpp:10:1: warning: the lecture has no title; begin it with lecture({.title = "
      "\"…\", .date = \"YYYY-MM-DD\"})\n");
  EXPECT_EQ(
      warnings_of("hooks, front"),
      "lectern: surroundings.cpp:10:1: warning: this hook comes before lecture(); call lecture() first\n");
  EXPECT_EQ(
      warnings_of("front, front, front"),
      "lectern: surroundings.cpp:11:1: warning: lecture() was called already, at surroundings.cpp:11:1; "
      "remove one of the calls\n");
}

std::vector<bool> ran_unrecorded(const Trace& trace) {
  std::vector<bool> ran;
  for (const TracedFunction& function : trace.functions) ran.push_back(function.ran_unrecorded);
  return ran;
}

TEST(Surroundings, WhatOtherThreadsRanIsToldLast) {
  const test::TemporaryFolder folder;
  for (const char* what : {"threads", "thread and step over", "thread and abort"}) {
    const RunOptions options = test::run_options(folder, "surroundings", {what});
    run_lecture(options);
    const auto recorded = test::read_recorded(options.output);
    const bool aborted = what == std::string_view("thread and abort");
    EXPECT_EQ(ran_unrecorded(read_trace(options.output)), (std::vector<bool>{false, !aborted, false, true}));
    for (std::size_t i = 0; i + 1 < recorded.steps.size(); ++i)
      EXPECT_EQ(recorded.steps[i].contains("ran"), i == 1) << what << i;
    const nlohmann::ordered_json last =
        what == std::string_view("threads") ? nlohmann::ordered_json{1, 3} : nlohmann::ordered_json{3};
    EXPECT_EQ(recorded.last()["ran"], last) << what;
  }
}

TEST(Surroundings, ClosedDescriptorsDoNotEndTheTrace) {
  const auto recorded = run_program("surroundings", {"close"});
  EXPECT_EQ(recorded.steps.size(), 100'002u);
  EXPECT_EQ(recorded.steps[100'000]["out"], "still here\n");
  EXPECT_EQ(recorded.end["end"], "return");
}

TEST(Surroundings, ClosedStreamsDoNotEndTheTrace) {
  const auto recorded = run_program("surroundings", {"close all"});
  EXPECT_EQ(recorded.steps.size(), 100'002u);
  EXPECT_EQ(recorded.steps[100'000]["out"], "still here\n");
  EXPECT_EQ(recorded.end["end"], "return");
}

TEST(Surroundings, ProcessesThatGoOnAreEndedWithTheLecture) {
  testing::internal::CaptureStderr();
  const auto recorded = run_program("surroundings", {"fork and go on"});
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "warning: the lecture left 2 processes behind, killed now\n"),
            std::string::npos);
  EXPECT_EQ(recorded.lines(), (std::vector<std::string>{"main 10 +1", "main 11"}));
  EXPECT_EQ(recorded.end["end"], "return");
  int child = 0, grandchild = 0;
  const std::string out = recorded.end["out"];
  ASSERT_EQ(std::sscanf(out.c_str() + out.find_first_not_of('.'), "%d %d", &child, &grandchild), 2) << out;
  EXPECT_EQ(kill(child, 0), -1);
  EXPECT_EQ(kill(grandchild, 0), -1);
}

TEST(Surroundings, DetachedThreadsDoNotOutliveMain) {
  const auto recorded = run_program("surroundings", {"detached threads"});
  EXPECT_EQ(recorded.lines(), (std::vector<std::string>{"main 10 +1", "main 11"}));
  EXPECT_EQ(recorded.end["end"], "return");
}

TEST(Surroundings, WhatFloodsTheDescriptorsIsCut) {
  const auto recorded = run_program("surroundings", {"flood"});
  EXPECT_EQ(recorded.end["out"].get<std::string>().size(), 65'536u);
}

TEST(Surroundings, ALectureThatRemovesItsTraceIsTold) {
  const test::TemporaryFolder folder;
  const RunOptions options =
      test::run_options(folder, "surroundings", {"remove", (folder / "trace.json.partial").string()});
  write_file(options.output, "earlier");
  try {
    run_lecture(options);
    FAIL() << "recorded without a file";
  } catch (const Error& error) {
    EXPECT_NE(
        std::string(error.what()).find("the lecture removed trace.json.partial, in which its trace grew"),
        std::string::npos)
        << error.what();
  }
  EXPECT_EQ(files_below(folder.path()), std::set<std::filesystem::path>{"trace.json"});
  EXPECT_EQ(read_file(options.output), "earlier");
}

TEST(Surroundings, AssetsAreFoundFromAnotherWorkingDirectory) {
  const test::TemporaryFolder folder;
  run_lecture(test::run_options(folder, "surroundings", {"chdir and assets"}));
  EXPECT_EQ(files_below(folder.path()),
            (std::set<std::filesystem::path>{"trace.assets/figure.svg", "trace.json"}));
}

TEST(Surroundings, AnotherWorkingDirectoryIsNoMatter) {
  EXPECT_EQ(run_program("surroundings", {"chdir"}).lines(),
            (std::vector<std::string>{"main 10 +1", "main 11"}));
}

TEST(Surroundings, WithoutItsSourcesALectureLooksWhereItWasStarted) {
  EXPECT_EQ(run_program("surroundings", {"folder"}).steps.front().at("out"),
            std::filesystem::current_path().string());
}

TEST(Surroundings, ALectureThatRunsALectureIsRecordedAlone) {
  EXPECT_EQ(run_program("surroundings", {"itself"}).lines(),
            (std::vector<std::string>{"main 10 +1", "main 11"}));
}

TEST(Surroundings, AssetsAreReplacedAsAWhole) {
  const test::TemporaryFolder folder;
  const RunOptions with = test::run_options(folder, "surroundings", {"assets"});
  std::filesystem::create_directories(folder / "trace.assets");
  write_file(folder / "trace.assets/stale.svg", "old");
  run_lecture(with);
  EXPECT_EQ(read_file(folder / "trace.assets/figure.svg"), "<svg/>");
  EXPECT_FALSE(std::filesystem::exists(folder / "trace.assets/stale.svg"));
  run_lecture(test::run_options(folder, "surroundings", {"chdir"}));
  EXPECT_FALSE(std::filesystem::exists(folder / "trace.assets"));
  EXPECT_FALSE(std::filesystem::exists(folder / "trace.json.partial"));
}

}  // namespace
}  // namespace lectern
