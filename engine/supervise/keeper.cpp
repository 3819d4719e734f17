#include "supervise/keeper.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/output_capture.h"
#include "record/utf8_tail.h"

namespace lectern {
namespace {

using Time = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(2);          // for a lecture that was asked to end
constexpr auto kGlance = std::chrono::milliseconds(100);  // between looks at the size of the trace

template <std::size_t N>
void copy_text(char (&to)[N], const std::string& text) {
  const std::size_t size = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), size);
  to[size] = '\0';
}

// What the lecture's process and its children write to descriptor 1 or 2, past the streams.
class Channel {
 public:
  Channel() {
    if (pipe2(ends_, O_CLOEXEC) != 0)
      throw Error(std::string("no pipe for the lecture's output: ") + std::strerror(errno));
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  bool is_open() const { return ends_[0] >= 0; }

  void close_write_end() { close(ends_[1]); }

  /// Takes what is there, passing it on.
  void drain(int terminal) {
    char buffer[16384];
    while (is_open()) {
      const ssize_t size = read(ends_[0], buffer, sizeof buffer);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return;
      if (size == 0) {
        close(ends_[0]);
        ends_[0] = -1;
        return;
      }
      const auto bytes = static_cast<std::size_t>(size);
      if (terminal >= 0 && write(terminal, buffer, bytes) < 0 && errno == EPIPE) terminal = -1;
      text_.append(buffer, std::min(bytes, capture::kLimit - std::min(text_.size(), capture::kLimit)));
    }
  }

  std::string take() {
    if (text_.size() == capture::kLimit) text_.resize(text_.size() - unfinished_utf8(text_));
    return std::move(text_);
  }

 private:
  int ends_[2];
  std::string text_;
};

std::string signal_name(int number) {
  const char* const name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

class Keeper {
 public:
  Keeper(const RunOptions& options, const TraceFiles& files, RunBlock& block, int block_descriptor, int front)
      : options_(options), files_(files), block_(block), block_descriptor_(block_descriptor), front_(front) {}

  void run() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, number);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    if (options_.timeout > 0) {
      time_limit_ = Time::now() + std::chrono::duration_cast<Time::duration>(
                                      std::chrono::duration<double>(options_.timeout));
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    start_lecture();
    if (block_.exec_error != 0) return;
    while (!ended_) watch();
    end_descendants();
    drain();
    finish();
  }

 private:
  void start_lecture() {
    int started[2];
    if (pipe2(started, O_CLOEXEC) != 0) throw Error(std::string("no pipe: ") + std::strerror(errno));
    const pid_t keeper = getpid();
    lecture_ = fork();
    if (lecture_ < 0) throw Error(std::string("no process for the lecture: ") + std::strerror(errno));
    if (lecture_ == 0) {
      become_lecture(keeper);
      block_.exec_error = errno;
      _exit(127);
    }
    out_.close_write_end();
    err_.close_write_end();
    close(started[1]);
    char byte;
    while (read(started[0], &byte, 1) < 0 && errno == EINTR) {
    }
    close(started[0]);
    if (block_.exec_error != 0) waitpid(lecture_, nullptr, 0);
  }

  // Returns only when the program cannot be executed.
  void become_lecture(pid_t keeper) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) _exit(127);
    const int nowhere = options_.quiet ? open("/dev/null", O_WRONLY) : -1;
    for (const int stream : {0, 1})
      block_.terminal[stream] = fcntl(nowhere >= 0 ? nowhere : stream + 1, F_DUPFD, 10);
    block_.author = fcntl(STDERR_FILENO, F_DUPFD, 10);
    dup2(out_.write_end(), STDOUT_FILENO);
    dup2(err_.write_end(), STDERR_FILENO);
    fcntl(block_descriptor_, F_SETFD, 0);
    setenv(RunBlock::kVariable, std::to_string(block_descriptor_).c_str(), 1);
    std::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    std::string program = options_.program.string();
    std::vector<std::string> arguments = options_.arguments;
    std::vector<char*> pointers{program.data()};
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    execv(program.c_str(), pointers.data());
  }

  void watch() {
    pollfd watched[] = {{signals_, POLLIN, 0},
                        {front_, POLLIN, 0},
                        {out_.read_end(), POLLIN, 0},
                        {err_.read_end(), POLLIN, 0}};
    poll(watched, std::size(watched), remaining());
    drain();
    if (front_ >= 0 && watched[1].revents != 0) {
      front_ = -1;
      kill_lecture("orphaned", {});
    }
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGCHLD) continue;
      interrupted_ = static_cast<int>(info.ssi_signo);
      kill(lecture_, interrupted_);
      if (!kill_at_) kill_at_ = Time::now() + kGrace;
    }
    if (kill_at_ && Time::now() >= *kill_at_) kill(lecture_, SIGKILL);
    if (time_limit_ && Time::now() >= *time_limit_) kill_lecture("killed", "longer than the time limit");
    if (block_.committed.load().bytes > options_.largest_trace) {
      kill_lecture("killed", "the trace has grown beyond " + std::to_string(options_.largest_trace >> 20) +
                                 " MB; step over the longest loop with @stepover");
    }
    int status = 0;
    if (waitpid(lecture_, &status, WNOHANG) == lecture_) ended_ = status;
  }

  int remaining() const {
    auto until = Time::now() + kGlance;
    if (kill_at_) until = std::min(until, *kill_at_);
    if (time_limit_) until = std::min(until, *time_limit_);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Time::now()).count();
    return static_cast<int>(std::max<decltype(left)>(left, 0));
  }

  // What the lecture started is ours once its parents are gone: we are the nearest that adopts.
  void end_descendants() {
    int left = 0;
    const std::string self = std::to_string(getpid());
    const std::string list =
        std::string("/proc/").append(self).append("/task/").append(self).append("/children");
    for (;;) {
      pid_t ended;
      while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
      }
      if (ended < 0) break;  // there are no more
      std::ifstream children(list);
      std::vector<pid_t> running;
      for (pid_t child; children >> child;) running.push_back(child);
      if (running.empty()) break;
      for (const pid_t child : running) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        ++left;
      }
    }
    if (left == 0) return;
    dprintf(STDERR_FILENO, "lectern: %s: warning: the lecture left %d %s behind, killed now\n",
            options_.lecture.c_str(), left, left == 1 ? "process" : "processes");
  }

  void kill_lecture(const char* by, const std::string& why) {
    killed_by_ = by;
    killed_why_ = why;
    time_limit_.reset();
    kill(lecture_, SIGKILL);
  }

  void drain() {
    out_.drain(options_.quiet ? -1 : STDOUT_FILENO);
    err_.drain(options_.quiet ? -1 : STDERR_FILENO);
  }

  Ending ending() {
    Ending ending{.out = out_.take(), .err = err_.take()};
    const RunBlock::Cause cause = block_.cause.load();
    if (WIFSIGNALED(*ended_)) ending.signal = signal_name(WTERMSIG(*ended_));
    ending.status = WIFEXITED(*ended_) ? WEXITSTATUS(*ended_) : 1;
    if (!killed_by_.empty()) {
      ending.by = killed_by_;
      ending.what = killed_why_;
    } else if (interrupted_ != 0 && !(WIFEXITED(*ended_) && cause == RunBlock::Cause::returned)) {
      ending.by = "interrupted";
      ending.signal = signal_name(interrupted_);
    } else if (cause == RunBlock::Cause::exception || cause == RunBlock::Cause::claim) {
      ending.by = cause == RunBlock::Cause::claim ? "claim" : "exception";
      ending.type = block_.type;
      ending.what = block_.what;
      ending.what.resize(ending.what.size() - unfinished_utf8(ending.what));
      ending.signal.clear();
    } else if (WIFEXITED(*ended_) && cause != RunBlock::Cause::signal) {
      ending.by = cause == RunBlock::Cause::returned ? "return" : "exit";
    } else {
      // A sanitizer that reports a fault exits.
      if (ending.signal.empty()) ending.signal = signal_name(block_.signal);
      ending.by = ending.signal == "SIGKILL" ? "killed" : ending.signal == "SIGABRT" ? "abort" : "signal";
      if (ending.by == "abort") ending.signal.clear();
      if (block_.stack_overflow != 0) ending.what = "stack overflow";
    }
    return ending;
  }

  // One line for a person; empty when main returned 0.
  std::string reason_of(const Ending& ending) const {
    std::string reason =
        ending.by == "exception" && ending.type != "lectern::Error" ? "uncaught exception" : ending.signal;
    for (const std::string* part : {&ending.type, &ending.what}) {
      if (!part->empty() && *part != "lectern::Error") reason += (reason.empty() ? "" : ": ") + *part;
    }
    if (reason.empty() && ending.by == "abort") reason = "abort";
    if (ending.by == "exit" && block_.recorder.load() != 0)
      reason = "the lecture called exit(" + std::to_string(ending.status) + ")";
    if (reason.empty() && ending.status != 0) reason = "exit status " + std::to_string(ending.status);
    if (reason.empty() || block_.line == 0) return reason;
    const std::string place = std::string(block_.path) + ":" + std::to_string(block_.line) + ": ";
    return reason.find(place) == std::string::npos ? place + reason : reason;
  }

  void finish() {
    const Ending ending = this->ending();
    copy_text(block_.by, ending.by);
    block_.exit_status = ending.by == "return" || ending.by == "exit" ? ending.status : 1;
    copy_text(block_.reason, reason_of(ending));
    if (!block_.holds_a_trace() || block_.failure.load() != 0) {
      files_.discard();
    } else {
      files_.finish(block_, ending);
    }
  }

  const RunOptions& options_;
  const TraceFiles& files_;
  RunBlock& block_;
  int block_descriptor_;
  int front_;
  int signals_ = -1;
  pid_t lecture_ = -1;
  Channel out_, err_;
  std::optional<Time::time_point> time_limit_, kill_at_;
  std::string killed_by_, killed_why_;
  int interrupted_ = 0;
  std::optional<int> ended_;
};

}  // namespace

void keep_lecture(const RunOptions& options, const TraceFiles& files, RunBlock& block, int block_descriptor,
                  int front) {
  Keeper(options, files, block, block_descriptor, front).run();
}

void finish_orphaned(const TraceFiles& files, RunBlock& block) {
  // The kernel kills the lecture with its keeper; what it still wrote has arrived once nothing changes.
  std::uint64_t committed = 0;
  do {
    committed = block.committed.load().bytes;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (block.committed.load().bytes != committed);
  if (!block.holds_a_trace()) return files.discard();
  copy_text(block.by, "orphaned");
  copy_text(block.reason, "the supervising process was killed");
  block.exit_status = 1;
  files.finish(block, {.by = "orphaned", .status = 1});
}

}  // namespace lectern
