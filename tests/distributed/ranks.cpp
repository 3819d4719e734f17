#include "distributed/ranks.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "temporary_folder.h"

namespace lectern::test {
namespace {

constexpr const char *kRank = "LECTERN_TEST_RANK", *kRanks = "LECTERN_TEST_RANKS",
                     *kFolder = "LECTERN_TEST_FOLDER";

int number_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? -1 : std::atoi(value);
}

std::string current_test() {
  const testing::TestInfo& info = *testing::UnitTest::GetInstance()->current_test_info();
  return std::string(info.test_suite_name()) + "." + info.name();
}

std::vector<std::string> environment(int rank, int count, const std::string& folder) {
  std::vector<std::string> entries{std::string(kRank) + "=" + std::to_string(rank),
                                   std::string(kRanks) + "=" + std::to_string(count),
                                   std::string(kFolder) + "=" + folder, "OMP_NUM_THREADS=1", "GTEST_OUTPUT="};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view kept = *entry;
    if (!kept.starts_with("OMP_NUM_THREADS=") && !kept.starts_with("GTEST_")) entries.emplace_back(kept);
  }
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

pid_t start(int rank, int count, const std::string& folder, const std::string& output) {
  std::vector<std::string> arguments{"rank", "--gtest_filter=" + current_test(), "--gtest_brief=1"};
  std::vector<std::string> variables = environment(rank, count, folder);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = -1;
  const int error = posix_spawn(&process, "/proc/self/exe", &actions, nullptr, pointers(arguments).data(),
                                pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0);
  return process;
}

/// The status with which it ended, before the deadline; else it is killed.
int status_of(pid_t process, std::chrono::steady_clock::time_point deadline) {
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() >= deadline) {
      ADD_FAILURE() << "a rank hangs";
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return status;
}

}  // namespace

int rank() {
  return number_of(kRank);
}

int ranks() {
  return number_of(kRanks);
}

std::string meeting_folder() {
  return std::string(std::getenv(kFolder)) + "/meeting";
}

void run_ranks(int count, const std::vector<Ending>& endings) {
  const TemporaryFolder folder;
  std::vector<pid_t> processes;
  const auto output = [&](int rank) { return (folder / ("rank" + std::to_string(rank))).string(); };
  for (int rank = 0; rank < count; ++rank)
    processes.push_back(start(rank, count, folder.path().string(), output(rank)));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  for (int rank = 0; rank < count; ++rank) {
    const int status = status_of(processes[static_cast<std::size_t>(rank)], deadline);
    int signal = 0;
    for (const Ending& ending : endings) {
      if (ending.rank == rank) signal = ending.signal;
    }
    const bool as_expected = signal > 0 ? WIFSIGNALED(status) && WTERMSIG(status) == signal
                                        : WIFEXITED(status) && WEXITSTATUS(status) == 0;
    EXPECT_TRUE(as_expected) << "rank " << rank << " ended with status " << status << ":\n"
                             << read_file(output(rank));
  }
}

void join(std::chrono::milliseconds timeout) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  distributed::init_process_group({.init_method = "file://" + meeting_folder(),
                                   .rank = rank(),
                                   .world_size = ranks(),
                                   .timeout = timeout});
}

}  // namespace lectern::test
