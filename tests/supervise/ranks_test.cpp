// Lectures of several processes.
#include "trace/ranks.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "has.h"
#include "record/run_program.h"

namespace lectern {
namespace {

using test::has;
using Json = nlohmann::ordered_json;
using Seconds = std::chrono::duration<double>;

class Ranks : public testing::Test {
 protected:
  // What a run leaves behind becomes a child of this process.
  Ranks() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

  RunOptions options(int processes, const std::vector<std::string>& arguments) const {
    RunOptions options = test::run_options(folder_, "ranks", arguments);
    options.processes = processes;
    return options;
  }
  RunOutcome run(int processes, const std::vector<std::string>& arguments) {
    const auto start = std::chrono::steady_clock::now();
    const RunOutcome outcome = run_lecture(options(processes, arguments));
    took_ = Seconds(std::chrono::steady_clock::now() - start).count();
    EXPECT_TRUE(nothing_runs()) << "a process stayed behind";
    return outcome;
  }
  test::Recorded trace(int rank) const {
    return test::read_recorded(rank_file(folder_ / "trace.json", rank));
  }
  std::string ended(int rank) const { return trace(rank).end["end"]; }

  static bool nothing_runs(int tries = 1) {
    for (; tries > 0; --tries) {
      pid_t ended;
      while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
      }
      if (ended < 0) return true;
      if (tries > 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  test::TemporaryFolder folder_;
  double took_ = 0;
};

TEST_F(Ranks, EachHasATraceWithItsRank) {
  unsetenv("OMP_WAIT_POLICY");  // which tests are run with
  const RunOutcome outcome = run(3, {"*:say", "1:nap"});
  EXPECT_EQ(outcome.status, 0) << outcome.reason;
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency() / 3);
  for (int rank = 0; rank < 3; ++rank) {
    const test::Recorded recorded = trace(rank);
    EXPECT_EQ(recorded.document["lecture"], "trace");
    EXPECT_EQ(recorded.document["profile"].value("rank", 0), rank);
    EXPECT_EQ(recorded.document["profile"]["world_size"], 3);
    const std::string number = std::to_string(rank);
    EXPECT_EQ(recorded.steps[1]["out"], number + "/3 local " + number + "/3 threads " +
                                            std::to_string(threads) + ", waiting passive\n");
    EXPECT_EQ(recorded.steps.size(), rank == 1 ? 3U : 2U);
  }
  EXPECT_EQ(run(0, {"*:say"}).status, 0);
  EXPECT_EQ(trace(0).last()["out"], "-/- local -/- threads -, waiting -\n") << "one that nobody is to meet";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "trace.rank1.json")) << "ranks that there are no longer";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "trace.rank2.json"));
}

TEST_F(Ranks, AreAsManyAsTheLectureSaysUnlessTheCommandDoes) {
  setenv("TEST_PROCESSES", "2", 1);
  EXPECT_EQ(run(0, {"*:say"}).status, 0);
  EXPECT_EQ(trace(1).document["profile"]["world_size"], 2);
  EXPECT_EQ(trace(1).steps.size(), 2U) << "what ran before the others were there is not recorded";
  EXPECT_EQ(run(3, {}).status, 0);
  EXPECT_EQ(trace(2).document["profile"]["world_size"], 3);
  unsetenv("TEST_PROCESSES");
}

TEST_F(Ranks, OneThatThrowsEndsTheOthersWithinTheStatedTime) {
  const RunOutcome outcome = run(3, {"1:throw", "0:hang", "2:stubborn"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.reason,
            "/nowhere/ranks.cpp:11:1: rank 1: uncaught exception: std::runtime_error: no more");
  EXPECT_GE(took_, 5);
  EXPECT_LT(took_, 9) << "5 seconds, and 2 for the one that does not end when asked";
  EXPECT_EQ(ended(1), "exception");
  EXPECT_FALSE(trace(1).end.contains("failed_rank"));
  for (const int rank : {0, 2}) {
    EXPECT_EQ(ended(rank), "killed");
    EXPECT_EQ(trace(rank).end["failed_rank"], 1);
    EXPECT_EQ(trace(rank).last()["ended"]["what"], "rank 1 had failed");
  }
}

TEST_F(Ranks, TheFirstThatFailsIsNamed) {
  EXPECT_TRUE(has(run(3, {"2:exit", "0:nap", "0:throw", "1:doze", "1:kill"}).reason,
                  ": rank 2: the lecture called exit(3)"));
  EXPECT_EQ(trace(0).end["failed_rank"], 2);
  EXPECT_TRUE(has(run(2, {"1:kill", "0:nap", "0:throw"}).reason, "rank 1: SIGKILL"));
  EXPECT_EQ(trace(0).end["failed_rank"], 1);
  EXPECT_EQ(run(2, {"1:exit", "0:nap"}).status, 3);
  EXPECT_EQ(ended(0), "return") << "in the time that it is given";
  EXPECT_FALSE(trace(0).end.contains("failed_rank"));
}

TEST_F(Ranks, WhatTheyLeaveBehindIsKilled) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(2, {"*:leave a child"}).status, 0);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(has(said, "the lecture left 1 process behind, killed now")) << said;
}

TEST_F(Ranks, ThatHangEndWithTheTimeLimit) {
  RunOptions hanging = options(2, {"*:hang"});
  hanging.timeout = 0.5;
  const RunOutcome outcome = run_lecture(hanging);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome.reason, "longer than the time limit")) << outcome.reason;
  EXPECT_TRUE(nothing_runs());
  EXPECT_EQ(ended(0), "killed");
  EXPECT_EQ(ended(1), "killed");
}

/// `lectern run` of ranks that sleep, in a process of its own.
pid_t run_apart(const RunOptions& options) {
  const pid_t command = fork();
  if (command == 0) _exit(run_lecture(options).status);
  const auto has_begun = [&](int rank) {
    std::error_code error;
    const std::string partial = rank_file(options.output, rank).string() + ".partial";
    return std::filesystem::file_size(partial, error) > 0 && !error;
  };
  for (int i = 0; i < 1000 && !(has_begun(0) && has_begun(1)); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(std::random_device()() % 100));
  return command;
}

TEST_F(Ranks, EndWithTheCommandWhateverEndsIt) {
  for (const int signal : {SIGKILL, SIGINT}) {
    const pid_t command = run_apart(options(2, {"*:hang"}));
    kill(command, signal);
    EXPECT_TRUE(nothing_runs(500)) << signal;
    for (const int rank : {0, 1}) EXPECT_EQ(ended(rank), signal == SIGINT ? "interrupted" : "orphaned");
  }
}

TEST_F(Ranks, SurviveASupervisorThatIsKilled) {
  const pid_t command = run_apart(options(2, {"1:hang"}));
  const std::string id = std::to_string(command);
  std::ifstream children("/proc/" + id + "/task/" + id + "/children");
  pid_t first = 0, second = 0;
  children >> first >> second;
  ASSERT_GT(second, 0);
  kill(second, SIGKILL);
  int status = 0;
  waitpid(command, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_TRUE(nothing_runs(500));
  EXPECT_EQ(ended(1), "orphaned");
}

TEST_F(Ranks, MarkWhatTheyPrintAboveRank0) {
  RunOptions shown = options(2, {"*:say"});
  shown.quiet = false;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  run_lecture(shown);
  const std::string out = testing::internal::GetCapturedStdout(),
                    err = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(has(out, "[rank 1] 1/2 local 1/2")) << out;
  EXPECT_TRUE(has("\n" + out, "\n0/2 local 0/2")) << out;
  EXPECT_TRUE(has(err, "[rank 1] not a whole line\n")) << err;
}

TEST_F(Ranks, TooManyAreRefused) {
  for (const int count : {-1, kMostProcesses + 1}) {
    try {
      run_lecture(options(count, {}));
      ADD_FAILURE() << count;
    } catch (const Error& error) {
      EXPECT_TRUE(has(error.what(), "ask for 1 to 64")) << error.what();
    }
  }
}

TEST(RankFiles, StandBesideThatOfRank0) {
  EXPECT_EQ(rank_file("a/name.json", 0), "a/name.json");
  EXPECT_EQ(rank_file("a/name.json", 12), "a/name.rank12.json");
  EXPECT_TRUE(is_of_higher_rank("a/name.rank12.json"));
  for (const char* other : {"a/name.json", "a/rank1.json", "a/name.rank.json", "a/name.rank0.json",
                            "a/name.rank01.json", "a/name.rank1x.json", "a/name.rank1.assets"})
    EXPECT_FALSE(is_of_higher_rank(other)) << other;
  const test::TemporaryFolder folder;
  for (const char* name : {"a.json", "a.rank1.json", "a.rank2.json", "a.rank10.json", "b.rank3.json"})
    write_file(folder / name, "");
  EXPECT_EQ(rank_files_from(folder / "a.json", 2),
            (std::vector{folder / "a.rank2.json", folder / "a.rank10.json"}));
  Trace trace;
  trace.profile = Profile{.world_size = 4};
  EXPECT_THROW(rank_files(trace, folder / "a.json"), Error);
  trace.profile->world_size = 3;
  EXPECT_EQ(rank_files(trace, folder / "a.json").size(), 3U);
}

}  // namespace
}  // namespace lectern
