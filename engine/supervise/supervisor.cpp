#include "supervise/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/output_capture.h"
#include "record/utf8_tail.h"
#include "supervise/longest_loop.h"
#include "supervise/sanitizer_report.h"
#include "supervise/signal_queue.h"

namespace lectern {
namespace {

using Time = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(2);  // for a lecture that was asked to end

// What the lecture's process and its children write to descriptor 1 or 2, bypassing the streams.
class OutputPipe {
 public:
  OutputPipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0)
      throw Error(std::string("no pipe for the lecture's output: ") + std::strerror(errno));
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write_end() { close(ends_[1]); }

  /// Keeps what has arrived and passes it on to `terminal`, unless that is negative.
  void drain(int terminal) {
    char buffer[16384];
    while (ends_[0] >= 0) {
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
      text_.append(buffer, std::min(bytes, capture::kLimit - text_.size()));
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

RunOutcome complete_trace(const RunOptions& options, const TraceFiles& files, const RunBlock& block,
                          const Ending& ending, const std::string& reason) {
  const std::string program = options.program.string();
  if (block.exec_error != 0) {
    throw Error(program + ": cannot be run: " + std::generic_category().message(block.exec_error) +
                "; name the compiled lecture");
  }
  if (block.failure.load() != 0) {
    throw Error(options.output.string() +
                ": cannot be recorded: " + std::generic_category().message(block.failure.load()) +
                "; make room or choose another place");
  }
  if (!block.holds_a_trace()) {
    throw Error(program + ": recorded nothing" + (reason.empty() ? "" : " (it ended with " + reason + ")") +
                "; only a lecture built by `lectern build` or lectern_add_lecture can be recorded");
  }
  files.finish(block, ending);
  const bool interrupted = ending.by == "interrupted" || ending.by == "orphaned";
  const int status = ending.by == "return" || ending.by == "exit" ? ending.status : 1;
  return {.status = options.record_failures && !interrupted ? 0 : status,
          .failed = status != 0,
          .by = ending.by,
          .reason = reason,
          .steps = block.committed.load().steps};
}

class Supervisor {
 public:
  Supervisor(const RunOptions& options, const TraceFiles& files, RunBlock& block, int block_descriptor,
             pid_t command)
      : options_(options),
        files_(files),
        block_(block),
        block_descriptor_(block_descriptor),
        command_(command) {
    std::signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (options_.timeout > 0) {
      deadline_ = Time::now() +
                  std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(options_.timeout));
    }
  }

  RunOutcome run() {
    start_lecture();
    while (!wait_status_) watch();
    end_descendants();
    drain();
    Ending ending = find_ending(*wait_status_, block_, intervention_);
    ending.out = out_.take();
    ending.err = err_.take();
    take_report(ending);
    return complete_trace(options_, files_, block_, ending, end_reason(ending, block_));
  }

 private:
  // Of a lecture that was built with sanitizers.
  void take_report(Ending& ending) {
    const std::filesystem::path author =
        options_.author_folder.empty() ? std::filesystem::current_path() : options_.author_folder;
    const std::string folder = (author / block_.folder / "").parent_path().string();
    const std::optional<SanitizerReport> report = take_sanitizer_report(ending.err, folder);
    if (!report || ending.by == "return" || intervention_) return;
    ending = {.by = "abort",
              .status = 1,
              .type = report->sanitizer,
              .what = report->what,
              .out = ending.out,
              .err = ending.err};
    if (block_.line != 0) return;  // a signal's, noted by the recorder
    copy_text(block_.path, report->path);
    block_.line = report->line;
    block_.column = report->column;
  }

  void start_lecture() {
    const pid_t supervisor = getpid();
    lecture_ = fork();
    if (lecture_ < 0) throw Error(std::string("no process for the lecture: ") + std::strerror(errno));
    if (lecture_ == 0) {
      execute_lecture(supervisor);
      block_.exec_error = errno;
      _exit(127);
    }
    out_.close_write_end();
    err_.close_write_end();
  }

  // Returns only when the program cannot be executed.
  void execute_lecture(pid_t supervisor) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) _exit(127);
    const int null = options_.quiet ? open("/dev/null", O_WRONLY) : -1;
    for (const int stream : {0, 1})
      block_.terminal[stream] = fcntl(null >= 0 ? null : stream + 1, F_DUPFD, 10);
    block_.diagnostics = fcntl(STDERR_FILENO, F_DUPFD, 10);
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
    pollfd watched[] = {
        {signals_.descriptor(), POLLIN, 0}, {out_.read_end(), POLLIN, 0}, {err_.read_end(), POLLIN, 0}};
    poll(watched, std::size(watched), kPollInterval.count());
    drain();
    if (getppid() != command_) kill_lecture({.by = "orphaned"});
    while (const int signal = signals_.next()) {
      if (signal != SIGCHLD) interrupt_lecture(signal);
    }
    if (deadline_ && Time::now() >= *deadline_) {
      kill_lecture(intervention_ ? *intervention_
                                 : Ending{.by = "killed", .what = "longer than the time limit"});
    }
    if (block_.committed.load().bytes > options_.largest_trace) {
      kill_lecture(
          {.by = "killed",
           .what = "the trace has grown beyond " + std::to_string(options_.largest_trace >> 20) + " MB"});
      intervention_->what += "; " + longest_loop(files_.partial);
    }
    int status = 0;
    if (waitpid(lecture_, &status, WNOHANG) == lecture_) wait_status_ = status;
  }

  void interrupt_lecture(int signal) {
    kill(lecture_, signal);
    if (!intervention_) deadline_ = Time::now() + kGrace;
    if (!intervention_ || intervention_->by == "interrupted")
      intervention_ = {.by = "interrupted", .signal = signal_name(signal)};
  }

  void kill_lecture(const Ending& intervention) {
    intervention_ = intervention;
    deadline_.reset();
    kill(lecture_, SIGKILL);
  }

  // What the lecture started becomes a child of this process, the nearest subreaper, once its parents are
  // gone.
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

  void drain() {
    out_.drain(options_.quiet ? -1 : STDOUT_FILENO);
    err_.drain(options_.quiet ? -1 : STDERR_FILENO);
  }

  const RunOptions& options_;
  const TraceFiles& files_;
  RunBlock& block_;
  int block_descriptor_;
  pid_t command_;
  SignalQueue signals_{SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  OutputPipe out_, err_;
  pid_t lecture_ = -1;
  std::optional<Time::time_point> deadline_;  // at which the lecture is killed
  std::optional<Ending> intervention_;
  std::optional<int> wait_status_;
};

}  // namespace

RunOutcome supervise_lecture(const RunOptions& options, const TraceFiles& files, RunBlock& block,
                             int block_descriptor, pid_t command) {
  return Supervisor(options, files, block, block_descriptor, command).run();
}

RunOutcome finish_orphaned(const RunOptions& options, const TraceFiles& files, const RunBlock& block) {
  // The kernel kills the lecture with its supervisor; once nothing changes any more, it is dead.
  std::uint64_t committed = 0;
  do {
    committed = block.committed.load().bytes;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (block.committed.load().bytes != committed);
  const std::string reason = "the supervising process was killed";
  if (!block.holds_a_trace()) throw Error(options.program.string() + ": recorded nothing: " + reason);
  return complete_trace(options, files, block, {.by = "orphaned", .status = 1}, reason);
}

}  // namespace lectern
