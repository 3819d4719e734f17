#include "cli/process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"

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

/// This process's environment with the entries "NAME=VALUE" added or replaced.
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

/// No signal is blocked in the child, whatever this thread blocks; for a terminal, the child is a session.
class SpawnAttributes {
 public:
  explicit SpawnAttributes(bool is_session) {
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    const int flags = POSIX_SPAWN_SETSIGMASK | (is_session ? POSIX_SPAWN_SETSID : 0);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
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

/// Receives a command's output: a pipe, or a terminal of its own.
class Channel {
 public:
  explicit Channel(bool terminal) {
    if (terminal && open_terminal()) return;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Error(std::string("no pipe for a command: ") + std::strerror(errno));
    read_end_ = ends[0];
    write_end_ = ends[1];
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() {
    close(read_end_);
    close_write_end();
  }

  int read_end() const { return read_end_; }
  bool is_terminal() const { return !terminal_.empty(); }

  void connect(posix_spawn_file_actions_t* actions) const {
    if (is_terminal()) {
      posix_spawn_file_actions_addopen(actions, 1, terminal_.c_str(), O_RDWR, 0);
    } else {
      posix_spawn_file_actions_adddup2(actions, write_end_, 1);
    }
  }
  void close_write_end() {
    if (write_end_ >= 0) close(write_end_);
    write_end_ = -1;
  }

 private:
  bool open_terminal() {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];
    termios settings{};
    if (terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
        ptsname_r(terminal, name, sizeof name) == 0 && tcgetattr(terminal, &settings) == 0) {
      cfmakeraw(&settings);
      tcsetattr(terminal, TCSANOW, &settings);
      // Held until the command has opened it: without a writer, reading would end.
      write_end_ = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
      if (write_end_ >= 0) {
        read_end_ = terminal;
        terminal_ = name;
        return true;
      }
    }
    if (terminal >= 0) close(terminal);
    return false;
  }

  int read_end_ = -1, write_end_ = -1;
  std::string terminal_;
};

/// Splits a command's output into lines. A line that is redrawn on a terminal ("\rTEXT\x1b[K") is complete as
/// soon as it is drawn.
class Lines {
 public:
  Lines(bool terminal, const std::function<void(std::string_view)>& on_line)
      : terminal_(terminal), on_line_(on_line) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() = default;

  void add(std::string_view text) {
    for (const char c : text) {
      if (c == '\n') {
        if (!pending_.empty() || !drawn_) emit();
        drawn_ = false;
      } else if (!terminal_ || c != '\r') {
        pending_ += c;
        if (terminal_ && pending_.ends_with(kDrawn)) {
          pending_.resize(pending_.size() - kDrawn.size());
          emit();
          drawn_ = true;
        }
      }
    }
  }
  void end() {
    if (!pending_.empty()) emit();
  }

 private:
  static constexpr std::string_view kDrawn = "\x1b[K";

  void emit() {
    if (terminal_) remove_colors();
    on_line_(pending_);
    pending_.clear();
  }

  void remove_colors() {
    for (std::size_t begin = 0; (begin = pending_.find("\x1b[", begin)) != std::string::npos;) {
      const auto end = pending_.find_first_not_of("0123456789;", begin + 2);
      if (end == std::string::npos || pending_[end] != 'm') return;
      pending_.erase(begin, end + 1 - begin);
    }
  }

  bool terminal_;
  bool drawn_ = false;  // the cursor is after a line that was passed on already
  const std::function<void(std::string_view)>& on_line_;
  std::string pending_;
};

/// Reads until no process can write any more.
void read_lines(const Channel& channel, const std::function<void(std::string_view)>& on_line) {
  Lines lines(channel.is_terminal(), on_line);
  char buffer[8192];
  for (;;) {
    const ssize_t count = read(channel.read_end(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;  // EIO: a terminal that no process has open
    lines.add({buffer, static_cast<std::size_t>(count)});
  }
  lines.end();
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int run_command(const Command& command, const std::function<void(std::string_view)>& on_line) {
  Channel channel(command.terminal);
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  channel.connect(actions.get());
  if (command.errors) {
    posix_spawn_file_actions_adddup2(actions.get(), 1, 2);
  } else {
    posix_spawn_file_actions_addopen(actions.get(), 2, "/dev/null", O_WRONLY, 0);
  }
  if (!command.folder.empty()) posix_spawn_file_actions_addchdir_np(actions.get(), command.folder.c_str());

  auto arguments = command.arguments;
  auto environment = merged_environment(command.environment);
  const SpawnAttributes attributes(channel.is_terminal());
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments.front().c_str(), actions.get(), attributes.get(),
                                  pointers(arguments).data(), pointers(environment).data());
  channel.close_write_end();
  if (failed != 0) {
    on_line(arguments.front() + ": it cannot be started");
    return 127;
  }
  {
    const std::stop_callback interrupt(command.stop, [child] { kill(child, SIGINT); });
    read_lines(channel, on_line);
  }
  return wait_for(child);
}

int run_logged(const Command& command, const fs::path& log,
               const std::function<void(std::string_view)>& on_line) {
  make_folder(log.parent_path());
  std::ofstream out(log, std::ios::binary);
  return run_command(command, [&](std::string_view line) {
    out << line << '\n' << std::flush;
    if (on_line) on_line(line);
  });
}

std::string first_output_line(const std::vector<std::string>& arguments) {
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
