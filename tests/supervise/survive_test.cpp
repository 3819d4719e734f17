#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "record/run_program.h"
#include "supervise/longest_loop.h"
#include "trace/reader.h"

namespace lectern {
namespace {

using test::run_program;
using Json = nlohmann::ordered_json;

test::Recorded end_by(const std::string& how) {
  test::Recorded recorded = run_program("endings", {how});
  EXPECT_EQ(recorded.lines(), (std::vector<std::string>{"main 10 +1", "main > last 20 +1", "main > last 21"}))
      << how;
  EXPECT_EQ(recorded.end["steps"], 3) << how;
  return recorded;
}

TEST(Survive, AnUncaughtException) {
  const auto recorded = end_by("throw");
  EXPECT_EQ(recorded.last()["ended"], (Json{{"by", "exception"},
                                            {"type", "std::runtime_error"},
                                            {"what", "no more"},
                                            {"place", "endings.cpp:21:1"}}));
  EXPECT_EQ(recorded.last()["out"], "last words\n");
  EXPECT_EQ(recorded.end["end"], "exception");
  EXPECT_EQ(recorded.outcome.status, 1);
  EXPECT_EQ(recorded.outcome.reason,
            "/nowhere/endings.cpp:21:1: uncaught exception: std::runtime_error: no more");
}

TEST(Survive, PlacesAreNamedFromTheAuthorsFolder) {
  const test::TemporaryFolder folder;
  RunOptions options = test::run_options(folder, "endings", {"throw"});
  for (const auto& [author, shown] :
       {std::pair("/nowhere", "endings.cpp"), std::pair("/", "nowhere/endings.cpp"),
        std::pair("/elsewhere", "/nowhere/endings.cpp")}) {
    options.author_folder = author;
    EXPECT_TRUE(run_lecture(options).reason.starts_with(std::string(shown) + ":21:1: ")) << author;
    const std::string place = test::read_recorded(options.output).last()["ended"]["place"];
    EXPECT_EQ(place, std::string(*shown == '/' ? "endings.cpp" : shown) + ":21:1")
        << "no absolute path in a trace";
  }
}

TEST(Survive, ExceptionsOfAnyKind) {
  EXPECT_EQ(end_by("throw-int").last()["ended"],
            (Json{{"by", "exception"}, {"type", "int"}, {"place", "endings.cpp:21:1"}}));
  EXPECT_EQ(end_by("noexcept").last()["ended"]["what"], "through noexcept");
  EXPECT_EQ(end_by("thread-throw").last()["ended"]["type"], "std::logic_error");
  EXPECT_EQ(end_by("destructor").last()["ended"]["what"], "from a destructor");
  const auto odd = end_by("throw-odd");
  EXPECT_EQ(odd.last()["ended"]["type"], "Odd");
  EXPECT_EQ(end_by("throw-string").last()["ended"]["type"], "std::string");
  EXPECT_EQ(odd.last()["ended"]["what"], (Json{{"bytes", "6f646420226f6e652220ff"}}));
}

TEST(Survive, AClaimThatDoesNotHold) {
  const auto recorded = end_by("claim");
  EXPECT_EQ(recorded.last()["ended"],
            (Json{{"by", "claim"}, {"what", "assert(zero == 1)"}, {"place", "endings.cpp:21:1"}}));
  EXPECT_EQ(recorded.last()["claims"][0]["ok"], false);
  EXPECT_EQ(recorded.end["end"], "claim");
  EXPECT_EQ(recorded.outcome.status, 1);
}

TEST(Survive, ExitAtAnyDepth) {
  const auto recorded = end_by("exit");
  EXPECT_EQ(recorded.last()["ended"], (Json{{"by", "exit"}, {"status", 3}, {"place", "endings.cpp:21:1"}}));
  EXPECT_EQ(recorded.last()["out"], "last words\nafter main\n");
  EXPECT_EQ(recorded.end["status"], 3);
  EXPECT_EQ(recorded.outcome.status, 3);
  EXPECT_EQ(end_by("quick_exit").last()["ended"]["status"], 4);
  EXPECT_EQ(end_by("_exit").last()["ended"],
            (Json{{"by", "exit"}, {"status", 5}, {"place", "endings.cpp:21:1"}}));
  EXPECT_EQ(end_by("own-handler").last()["ended"]["status"], 6);
}

TEST(Survive, AProgramInItsPlaceIsNotTheLecture) {
  const auto recorded = end_by("exec");
  EXPECT_EQ(recorded.last()["ended"]["by"], "abort");
  EXPECT_TRUE(recorded.outcome.failed);
  EXPECT_EQ(recorded.outcome.status, 1);
  EXPECT_TRUE(recorded.outcome.reason.starts_with("another program has taken the lecture's place"))
      << recorded.outcome.reason;
}

TEST(Survive, ExitWithStatusZeroIsNoFailure) {
  const auto recorded = end_by("exit-0");
  EXPECT_EQ(recorded.last()["ended"], (Json{{"by", "exit"}, {"status", 0}, {"place", "endings.cpp:21:1"}}));
  EXPECT_EQ(recorded.outcome.status, 0);
  EXPECT_EQ(recorded.outcome.reason, "/nowhere/endings.cpp:21:1: the lecture called exit(0)");
}

TEST(Survive, Abort) {
  const auto recorded = end_by("abort");
  EXPECT_EQ(recorded.last()["ended"], (Json{{"by", "abort"}, {"place", "endings.cpp:21:1"}}));
  EXPECT_EQ(recorded.last()["out"], "last words\n");
  EXPECT_EQ(recorded.end["end"], "abort");
}

TEST(Survive, Signals) {
  const auto segv = end_by("segv");
  EXPECT_EQ(segv.last()["ended"],
            (Json{{"by", "signal"}, {"signal", "SIGSEGV"}, {"place", "endings.cpp:21:1"}}));
  EXPECT_EQ(segv.last()["out"], "last words\n");
  EXPECT_EQ(segv.end["signal"], "SIGSEGV");
  EXPECT_EQ(segv.outcome.status, 1);
  EXPECT_EQ(end_by("fpe").last()["ended"]["signal"], "SIGFPE");
  EXPECT_EQ(end_by("term").last()["ended"]["signal"], "SIGTERM");
}

TEST(Survive, AStackOverflowIsNamedWithItsPlace) {
  const auto recorded = end_by("overflow");
  EXPECT_EQ(recorded.last()["ended"], (Json{{"by", "signal"},
                                            {"signal", "SIGSEGV"},
                                            {"what", "stack overflow"},
                                            {"place", "endings.cpp:21:1"}}));
  EXPECT_EQ(recorded.outcome.reason, "/nowhere/endings.cpp:21:1: SIGSEGV: stack overflow");
  // Where a function has not come to its first statement, the call is the place.
  EXPECT_EQ(end_by("overflow-in-frame").outcome.reason, "/nowhere/endings.cpp:21:1: SIGSEGV: stack overflow");
}

TEST(Survive, KillOfTheLecture) {
  const auto recorded = end_by("kill");
  EXPECT_EQ(recorded.last()["ended"], (Json{{"by", "killed"}, {"signal", "SIGKILL"}}));
  EXPECT_EQ(recorded.end["end"], "killed");
}

TEST(Survive, KillInTheMiddleOfWriting) {
  // A process that writes steps as fast as it can, killed at any moment.
  for (int i = 0; i < 10; ++i) {
    const auto recorded = run_program("endings", {"spin"});
    EXPECT_EQ(recorded.outcome.by, "killed");
    EXPECT_EQ(recorded.outcome.steps, recorded.steps.size());
    EXPECT_EQ(recorded.last()["ended"], (Json{{"by", "killed"}, {"signal", "SIGKILL"}}));
  }
}

TEST(Survive, TheTimeLimit) {
  const test::TemporaryFolder folder;
  RunOptions options = test::run_options(folder, "endings", {"sleep"});
  options.timeout = 1;
  EXPECT_EQ(run_lecture(options).status, 1);
  const auto recorded = test::read_recorded(options.output);
  EXPECT_EQ(recorded.last()["ended"]["what"], "longer than the time limit");
  EXPECT_EQ(recorded.end["end"], "killed");
}

TEST(Survive, ATraceThatOutgrowsItsLimit) {
  const test::TemporaryFolder folder;
  RunOptions options = test::run_options(folder, "endings", {"endless"});
  options.largest_trace = 4 << 20;
  options.timeout = 60;
  const RunOutcome outcome = run_lecture(options);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.by, "killed");
  EXPECT_NE(outcome.reason.find("the trace has grown beyond 4 MB; endings.cpp:"), std::string::npos)
      << outcome.reason;
  const auto recorded = test::read_recorded(options.output);
  EXPECT_EQ(recorded.last()["ended"]["by"], "killed");
  EXPECT_GT(recorded.steps.size(), 1000u);
}

TEST(Survive, TheLoopThatRecordedMostIsNamed) {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& steps) {
    write_file(folder / "torn.json",
               R"({"format":"lectern-trace/1",
"lecture":"x",
"records":[
{"source":0,"path":"x.cpp","lines":[
"{\"at\":0"]},
{"function":0,"name":"f","source":0,"span":[1,1,9,1]},
{"site":0,"function":0,"span":[2,1,2,9]},
{"site":1,"function":0,"span":[3,1,3,9],"kind":"loop"},
{"site":2,"function":0,"span":[4,1,4,9],"kind":"loop"},
{"stack":0,"function":0},
)" + steps);
    return longest_loop(folder / "torn.json");
  };
  std::string steps;
  for (int i = 0; i < 1500; ++i) steps += "{\"at\":0,\"in\":0},\n{\"at\":2,\"in\":0},\n";
  EXPECT_EQ(write(steps + "{\"at\":1,\"in\":0},\n{\"at\":1,\"i"),
            "x.cpp:4 ran 1,500 times: put @steps first 3 last 1 or @stepover on it");
  EXPECT_EQ(write("{\"at\":0,\"in\":0},\n"), "x.cpp:2 ran 1 times: put @stepover on what calls it");
}

/// `lectern run` in a process of its own, with a lecture that sleeps.
class Sleeper {
 public:
  explicit Sleeper(const char* how = "sleep") : options_(test::run_options(folder_, "endings", {how})) {
    command_ = fork();
    if (command_ == 0) {
      setpgid(0, 0);
      try {
        _exit(run_lecture(options_).status);
      } catch (const Error&) {
        _exit(1);
      }
    }
    // The lecture is known to be asleep once its step has begun.
    wait_for([&] {
      return descendants().size() == 2 && std::filesystem::file_size(folder_ / "trace.json.partial") > 0;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  ~Sleeper() {
    kill(-command_, SIGKILL);
    waitpid(command_, nullptr, 0);
  }

  /// Supervisor and lecture.
  std::vector<pid_t> descendants() const {
    std::vector<pid_t> found;
    for (pid_t parent = command_; parent > 0;) {
      const std::string id = std::to_string(parent);
      std::string children = read_file("/proc/" + id + "/task/" + id + "/children");
      parent = std::atoi(children.c_str());
      if (parent > 0) found.push_back(parent);
    }
    return found;
  }

  pid_t command() const { return command_; }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  template <typename Condition>
  static bool wait_for(Condition&& holds) {
    for (int i = 0; i < 1000; ++i) {
      try {
        if (holds()) return true;
      } catch (const std::exception&) {  // not there yet
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  bool finished() const {
    return wait_for([&] { return std::filesystem::exists(file("trace.json")); });
  }

 private:
  test::TemporaryFolder folder_;
  RunOptions options_;
  pid_t command_ = -1;
};

bool gone(pid_t process) {
  return Sleeper::wait_for([&] {
    if (kill(process, 0) != 0) return true;
    const std::string status = read_file("/proc/" + std::to_string(process) + "/status");
    return status.find("State:\tZ") != std::string::npos;
  });
}

TEST(Survive, KillOfTheCommand) {
  const Sleeper sleeper;
  const std::vector<pid_t> processes = sleeper.descendants();
  kill(sleeper.command(), SIGKILL);
  ASSERT_TRUE(sleeper.finished());
  const auto recorded = test::read_recorded(sleeper.file("trace.json"));
  EXPECT_EQ(recorded.end["end"], "orphaned");
  EXPECT_EQ(recorded.last()["ended"]["by"], "orphaned");
  for (const pid_t process : processes) EXPECT_TRUE(gone(process));
}

TEST(Survive, KillOfTheSupervisor) {
  const Sleeper sleeper;
  const std::vector<pid_t> processes = sleeper.descendants();
  kill(processes.at(0), SIGKILL);
  ASSERT_TRUE(sleeper.finished());
  EXPECT_EQ(test::read_recorded(sleeper.file("trace.json")).end["end"], "orphaned");
  for (const pid_t process : processes) EXPECT_TRUE(gone(process));
}

TEST(Survive, KillOfEverythingAtOnceLeavesTheBeginning) {
  const Sleeper sleeper;
  const std::vector<pid_t> processes = sleeper.descendants();
  kill(-sleeper.command(), SIGKILL);
  for (const pid_t process : processes) EXPECT_TRUE(gone(process));
  EXPECT_FALSE(std::filesystem::exists(sleeper.file("trace.json")));
  const std::string partial = read_file(sleeper.file("trace.json.partial"));
  EXPECT_EQ(partial.rfind("{\"format\":\"lectern-trace/1\"", 0), 0u);
  EXPECT_NE(partial.find("{\"at\":2,\"in\":1"), std::string::npos);
  const Trace trace = read_trace(sleeper.file("trace.json.partial"));
  EXPECT_FALSE(trace.complete());
  EXPECT_EQ(trace.steps.size(), 2u);
}

TEST(Survive, Interruption) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Sleeper sleeper;
    kill(sleeper.command(), signal);
    int status = 0;
    waitpid(sleeper.command(), &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 1);
    const auto recorded = test::read_recorded(sleeper.file("trace.json"));
    EXPECT_EQ(recorded.end["end"], "interrupted");
    EXPECT_EQ(recorded.last()["out"], "last words\nasleep\n");
  }
}

std::string error_of(const RunOptions& options) {
  try {
    run_lecture(options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Survive, AnotherRunIntoTheSameTrace) {
  const Sleeper sleeper;
  const test::TemporaryFolder elsewhere;
  RunOptions other = test::run_options(elsewhere, "calls", {"nested"});
  other.output = sleeper.file("trace.json");
  const std::string before = read_file(sleeper.file("trace.json.partial"));
  EXPECT_EQ(error_of(other), other.output.string() +
                                 ": another run records into it; wait for it or end it (process " +
                                 std::to_string(sleeper.command()) + ")");
  EXPECT_EQ(read_file(sleeper.file("trace.json.partial")), before);
  kill(sleeper.command(), SIGTERM);
  ASSERT_TRUE(sleeper.finished());
  EXPECT_EQ(test::read_recorded(other.output).last()["out"], "last words\nasleep\n");
  EXPECT_EQ(error_of(other), "") << "the other has ended";
}

TEST(Survive, ATraceThatWasChangedFromOutsideIsNoTrace) {
  const Sleeper sleeper;
  std::filesystem::resize_file(sleeper.file("trace.json.partial"), 0);
  std::filesystem::resize_file(sleeper.file("trace.json.partial"), 4 << 20);
  kill(sleeper.command(), SIGTERM);
  EXPECT_TRUE(gone(sleeper.command()));
  EXPECT_FALSE(std::filesystem::exists(sleeper.file("trace.json")));
  EXPECT_FALSE(std::filesystem::exists(sleeper.file("trace.json.partial")));
}

TEST(Run, RecordsFailuresWhenAsked) {
  const test::TemporaryFolder folder;
  for (const char* how : {"throw", "claim", "exit", "abort", "segv"}) {
    RunOptions options = test::run_options(folder, "endings", {how});
    EXPECT_NE(run_lecture(options).status, 0) << how;
    options.record_failures = true;
    EXPECT_EQ(run_lecture(options).status, 0) << how;
  }
  RunOptions killed = test::run_options(folder, "endings", {"kill"});
  EXPECT_EQ(run_lecture(killed).status, 1);
  killed.record_failures = true;
  EXPECT_EQ(run_lecture(killed).status, 0);
}

TEST(Run, SaysWhatCannotBeRun) {
  const test::TemporaryFolder folder;
  RunOptions options = test::run_options(folder, "endings", {});
  write_file(options.output, "earlier");
  options.program = folder / "missing";
  EXPECT_NE(error_of(options).find("there is no such program"), std::string::npos);
  write_file(folder / "text", "not a program");
  options.program = folder / "text";
  EXPECT_NE(error_of(options).find("not an executable program"), std::string::npos);
  std::filesystem::permissions(folder / "text", std::filesystem::perms::owner_all);
  EXPECT_NE(error_of(options).find("cannot be run: Exec format error"), std::string::npos);
  options.program = "/bin/true";
  EXPECT_NE(error_of(options).find("/bin/true: recorded nothing; only a lecture"), std::string::npos);
  options.program = "/bin/false";
  EXPECT_NE(error_of(options).find("recorded nothing (it ended with exit status 1); only a lecture"),
            std::string::npos);
  options.program = "/bin/sh";
  options.arguments = {"-c", "kill -INT $$"};
  EXPECT_EQ(error_of(options), "/bin/sh: recorded nothing (it ended with SIGINT)");
  EXPECT_EQ(read_file(options.output), "earlier");
  EXPECT_FALSE(std::filesystem::exists(folder / "trace.json.partial"));
}

TEST(Run, SaysWhereItCannotWrite) {
  const test::TemporaryFolder folder;
  RunOptions options = test::run_options(folder, "calls", {"nested"});
  write_file(folder / "file", "");
  options.output = folder / "file/trace.json";
  EXPECT_NE(error_of(options).find("file: the folder cannot be made: Not a directory"), std::string::npos)
      << error_of(options);
  options.output = (folder / "new").string() + "/";
  EXPECT_NE(error_of(options).find("names no file for the trace"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  options.output = "";
  EXPECT_NE(error_of(options).find("names no file for the trace"), std::string::npos);
  options.output = folder / "trace.assets";
  EXPECT_NE(error_of(options).find("the folder beside a trace"), std::string::npos);
  options.output = folder / "pipe";
  ASSERT_EQ(mkfifo(options.output.c_str(), 0600), 0);
  EXPECT_NE(error_of(options).find("not a regular file"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_fifo(options.output));
}

TEST(Run, SaysThatTheDiskIsFull) {
  // The size limit of a file ends a mapping's growth as a full disk does.
  const test::TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3 << 20, 3 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = error_of(test::run_options(folder, "endings", {"many"}));
    _exit(error.find("cannot be recorded") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace lectern
