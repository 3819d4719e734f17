#include "cli/process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Without this variable of the environment, should it be set: "NAME=VALUE" names it.
std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view inherited = *entry;
    bool replaced = false;
    for (const auto& ours : added) replaced |= inherited.starts_with(ours.substr(0, ours.find('=') + 1));
    if (!replaced) all.emplace_back(inherited);
  }
  return all;
}

/// No signal blocked in the child, whatever this thread blocks.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

void read_lines(int descriptor, const std::function<void(std::string_view)>& on_line) {
  std::string pending;
  char buffer[8192];
  for (;;) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    pending.append(buffer, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1) {
      on_line(std::string_view(pending).substr(begin, end - begin));
    }
    pending.erase(0, begin);
  }
  if (!pending.empty()) on_line(pending);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int run_command(const Command& command, const std::function<void(std::string_view)>& on_line) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("no pipe for " + command.arguments.front());
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), ends[1], 1);
  if (command.errors) {
    posix_spawn_file_actions_adddup2(actions.get(), ends[1], 2);
  } else {
    posix_spawn_file_actions_addopen(actions.get(), 2, "/dev/null", O_WRONLY, 0);
  }
  if (!command.folder.empty()) posix_spawn_file_actions_addchdir_np(actions.get(), command.folder.c_str());

  auto arguments = command.arguments;
  auto environment = merged_environment(command.environment);
  const SpawnAttributes attributes;
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments.front().c_str(), actions.get(), attributes.get(),
                                  pointers(arguments).data(), pointers(environment).data());
  close(ends[1]);
  if (failed == 0) read_lines(ends[0], on_line);
  close(ends[0]);
  if (failed != 0) {
    on_line(arguments.front() + ": it cannot be started");
    return 127;
  }
  return wait_for(child);
}

int run_logged(const Command& command, const fs::path& log,
               const std::function<void(std::string_view)>& on_line) {
  fs::create_directories(log.parent_path());
  std::ofstream out(log, std::ios::binary);
  return run_command(command, [&](std::string_view line) {
    out << line << '\n' << std::flush;
    if (on_line) on_line(line);
  });
}

std::string first_line_of(const std::vector<std::string>& arguments) {
  std::string first;
  const int status = run_command({.arguments = arguments, .errors = false}, [&](std::string_view line) {
    if (first.empty()) first = line;
  });
  return status == 0 ? first : std::string();
}

fs::path find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / name;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  return {};
}

}  // namespace lectern::cli
