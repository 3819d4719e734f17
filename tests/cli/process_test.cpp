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
  EXPECT_EQ(run_command({{"no-such-program"}}, [](std::string_view) {}), 127);
}

TEST(Process, GivesWhatATerminalDrawsAsItIsDrawn) {
  EXPECT_EQ(lines_of("test -t 1 && test -t 2 && echo yes", true), Lines{"yes"});
  EXPECT_EQ(lines_of("test -t 1 || echo no", false), Lines{"no"});
  const std::string redrawn = R"(printf '\r[0/2] a\033[K\r[1/2] b\033[K\n\033[31mFAILED: \033[0mb\n\nend\n')";
  EXPECT_EQ(lines_of(redrawn, true), (Lines{"[0/2] a", "[1/2] b", "FAILED: b", "", "end"}));
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
  const auto gone = [&] {
    if (kill(command, 0) != 0) return true;
    return read_file("/proc/" + std::to_string(command) + "/status").find("State:\tZ") != std::string::npos;
  };
  EXPECT_TRUE(wait_for(gone));
}

}  // namespace
}  // namespace lectern::cli
