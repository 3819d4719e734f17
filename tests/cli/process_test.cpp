#include "cli/process.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "temporary_folder.h"

namespace lectern::cli {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& script, bool terminal) {
  Lines lines;
  run_command({.arguments = {"bash", "-c", script}, .terminal = terminal},
              [&](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

TEST(Process, GivesLinesAndTheStatus) {
  EXPECT_EQ(lines_of("echo one; echo; echo two >&2; printf three", false),
            (Lines{"one", "", "two", "three"}));
  EXPECT_EQ(run_command({{"bash", "-c", "exit 7"}}, [](std::string_view) {}), 7);
  EXPECT_EQ(run_command({{"bash", "-c", "kill -SEGV $$"}}, [](std::string_view) {}), 128 + SIGSEGV);
  EXPECT_EQ(run_command({{"no-such-program"}}, [](std::string_view) {}), 127);
}

TEST(Process, StopInterruptsTheCommand) {
  for (const bool terminal : {false, true}) {
    std::stop_source source;
    Lines lines;
    const int status = run_command({.arguments = {"bash", "-c",
                                                  "trap 'echo interrupted; exit 3' INT; echo on; "
                                                  "for ((;;)); do sleep 0.05; done"},
                                    .terminal = terminal,
                                    .stop = source.get_token()},
                                   [&](std::string_view line) {
                                     lines.emplace_back(line);
                                     source.request_stop();
                                   });
    EXPECT_EQ(status, 3);
    EXPECT_EQ(lines, (Lines{"on", "interrupted"}));
  }
}

TEST(Process, GivesWhatATerminalDrawsAsItIsDrawn) {
  EXPECT_EQ(lines_of("test -t 1 && test -t 2 && echo yes", true), Lines{"yes"});
  EXPECT_EQ(lines_of("test -t 1 || echo no", false), Lines{"no"});
  const std::string redrawn = R"(printf '\r[0/2] a\033[K\r[1/2] b\033[K\n\033[31mFAILED: \033[0mb\n\nend\n')";
  EXPECT_EQ(lines_of(redrawn, true), (Lines{"[0/2] a", "[1/2] b", "FAILED: b", "", "end"}));
}

/// Whether the process of that number has ended within ten seconds.
bool is_gone(pid_t process) {
  for (int i = 0; i < 1000; ++i) {
    if (kill(process, 0) != 0) return true;
    const std::string state = "/proc/" + std::to_string(process) + "/status";
    if (!std::filesystem::exists(state) || read_file(state).find("State:\tZ") != std::string::npos)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Process, OnATerminalOfItsOwnEndsWithUs) {
  const test::TemporaryFolder folder;
  const auto id = folder / "id";
  const pid_t child = fork();
  if (child == 0) {
    run_command({.arguments = {"bash", "-c", "echo $$ > '" + id.string() + "'; sleep 60"}, .terminal = true},
                [](std::string_view) {});
    _exit(0);
  }
  const auto wait_for = [](const auto& holds) {
    for (int i = 0; i < 1000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return holds();
  };
  ASSERT_TRUE(wait_for([&] { return std::filesystem::exists(id) && !read_file(id).empty(); }));
  const pid_t command = std::stoi(read_file(id));
  EXPECT_EQ(kill(command, 0), 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(is_gone(command));
}

}  // namespace
}  // namespace lectern::cli
