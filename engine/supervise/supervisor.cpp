#include "supervise/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
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
#include "supervise/longest_loop.h"
#include "supervise/output_pipe.h"
#include "supervise/sanitizer_report.h"
#include "supervise/signal_queue.h"

namespace lectern {
namespace {

using Time = std::chrono::steady_clock;
constexpr auto kGrace = std::chrono::seconds(2);  // for a lecture that was asked to end
constexpr auto kPollOthers = std::chrono::milliseconds(5);

std::int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Time::now().time_since_epoch()).count();
}

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
  const bool ended_by_itself = ending.by == "return" || ending.by == "exit";
  if (!block.holds_a_trace()) {
    throw Error(program + ": recorded nothing" + (reason.empty() ? "" : " (it ended with " + reason + ")") +
                (ended_by_itself
                     ? "; only a lecture built by `lectern build` or lectern_add_lecture can be recorded"
                     : ""));
  }
  files.finish(block, ending);
  const bool interrupted = ending.by == "interrupted" || ending.by == "orphaned";
  const int status = ended_by_itself ? ending.status : 1;
  return {.status = options.record_failures && !interrupted ? 0 : status,
          .failed = status != 0,
          .by = ending.by,
          .reason = reason,
          .steps = block.committed.load().steps};
}

class Supervisor {
 public:
  Supervisor(const RunOptions& options, const Seat& seat)
      : options_(options),
        seat_(seat),
        block_(seat.block),
        to_stdout_(options.quiet ? -1 : STDOUT_FILENO, mark()),
        to_stderr_(options.quiet ? -1 : STDERR_FILENO, mark()),
        diagnostics_(STDERR_FILENO, mark()) {
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
    for (Outlet* const outlet : {&to_stdout_, &to_stderr_, &diagnostics_}) outlet->finish();
    Ending ending = find_ending(*wait_status_, block_, intervention_);
    ending.out = out_.take();
    ending.err = err_.take();
    take_report(ending);
    if (block_.declared > 0) {  // to be begun again
      seat_.board.note_success(block_.rank);
      seat_.files.discard();
      return {};
    }
    meet_the_end(ending);
    return complete_trace(options_, seat_.files, block_, ending, end_reason(ending, block_));
  }

 private:
  /// Of what ranks above 0 write.
  std::string mark() const { return block_.rank == 0 ? "" : "[rank " + std::to_string(block_.rank) + "] "; }

  /// Of a lecture that could not note it, one that was killed, say, the others may have noticed the end
  /// before this process did.
  std::int64_t failed_at() const {
    constexpr std::chrono::nanoseconds kLate = std::chrono::seconds(1);
    if (intervention_) return intervened_at_;
    const std::int64_t noted = block_.ended_at.load();
    return noted != 0 ? noted : nanoseconds_now() - kLate.count();
  }

  /// Tells the others how this rank ended, and waits until they have, too: which failed first is known then.
  void meet_the_end(Ending& ending) {
    if (ending.well()) {
      seat_.board.note_success(block_.rank);
    } else {
      seat_.board.note_failure(block_.rank, failed_at());
    }
    while (!seat_.board.all_ended() && getppid() == seat_.command) {
      while (signals_.next() != 0) {
      }
      std::this_thread::sleep_for(kPollOthers);
    }
    const std::optional<int> first = seat_.board.first_failed();
    if (!ending.well() && first && *first != block_.rank) ending.failed_rank = first;
    if (getppid() == seat_.command || seat_.meeting.empty()) return;
    std::error_code left_behind;
    std::filesystem::remove_all(seat_.meeting, left_behind);
  }

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
    for (OutputPipe* const pipe : {&out_, &err_, &shown_out_, &shown_err_, &told_}) pipe->close_write_end();
  }

  // What torchrun tells the processes that it starts, and where they meet.
  void join_ranks() const {
    if (block_.processes == 0) return;
    const std::string rank = std::to_string(block_.rank), size = std::to_string(block_.processes);
    for (const char* const name : {"RANK", "LOCAL_RANK"}) setenv(name, rank.c_str(), 1);
    for (const char* const name : {"WORLD_SIZE", "LOCAL_WORLD_SIZE"}) setenv(name, size.c_str(), 1);
    setenv("LECTERN_RENDEZVOUS", seat_.meeting.c_str(), 1);
    const double timeout = options_.timeout > 0 ? std::min(kRankTimeout, options_.timeout / 2) : kRankTimeout;
    setenv("LECTERN_COLLECTIVE_TIMEOUT", std::to_string(timeout).c_str(), 0);
    const unsigned threads = std::thread::hardware_concurrency() / static_cast<unsigned>(block_.processes);
    setenv("OMP_NUM_THREADS", std::to_string(std::max(1U, threads)).c_str(), 0);
    setenv("OMP_WAIT_POLICY", "passive", 0);  // threads that wait awake would take other ranks' time
  }

  // Lines of ranks above 0 are marked on their way.
  void pass_on_output() {
    const int null = options_.quiet ? open("/dev/null", O_WRONLY) : -1;
    const bool marked = block_.rank > 0;
    const std::array<int, 2> shown{marked ? shown_out_.write_end() : STDOUT_FILENO,
                                   marked ? shown_err_.write_end() : STDERR_FILENO};
    for (const std::size_t stream : {std::size_t{0}, std::size_t{1}})
      block_.terminal[stream] = fcntl(null >= 0 ? null : shown[stream], F_DUPFD, 10);
    block_.diagnostics = fcntl(marked ? told_.write_end() : STDERR_FILENO, F_DUPFD, 10);
    dup2(out_.write_end(), STDOUT_FILENO);
    dup2(err_.write_end(), STDERR_FILENO);
  }

  // Returns only when the program cannot be executed.
  void execute_lecture(pid_t supervisor) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) _exit(127);
    pass_on_output();
    join_ranks();
    fcntl(seat_.block_descriptor, F_SETFD, 0);
    setenv(RunBlock::kVariable, std::to_string(seat_.block_descriptor).c_str(), 1);
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
    pollfd watched[] = {{signals_.descriptor(), POLLIN, 0}, {out_.read_end(), POLLIN, 0},
                        {err_.read_end(), POLLIN, 0},       {shown_out_.read_end(), POLLIN, 0},
                        {shown_err_.read_end(), POLLIN, 0}, {told_.read_end(), POLLIN, 0}};
    poll(watched, std::size(watched), kPollInterval.count());
    drain();
    if (getppid() != seat_.command) kill_lecture({.by = "orphaned"});
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
      intervention_->what += "; " + longest_loop(seat_.files.partial);
    }
    follow_the_failed();
    int status = 0;
    if (waitpid(lecture_, &status, WNOHANG) == lecture_) wait_status_ = status;
  }

  // Once a rank has failed, the others are of no use. Most notice, and end by themselves.
  void follow_the_failed() {
    const std::optional<int> failed = seat_.board.first_failed();
    if (!failed || intervention_) return;
    if (!alone_since_) alone_since_ = Time::now();
    if (Time::now() < *alone_since_ + kRankGrace) return;
    kill(lecture_, SIGTERM);
    deadline_ = Time::now() + kGrace;
    intervene({.by = "killed", .what = "rank " + std::to_string(*failed) + " had failed"});
    intervened_at_ = std::numeric_limits<std::int64_t>::max();
  }

  void interrupt_lecture(int signal) {
    kill(lecture_, signal);
    if (!intervention_) deadline_ = Time::now() + kGrace;
    if (!intervention_ || intervention_->by == "interrupted")
      intervene({.by = "interrupted", .signal = signal_name(signal)});
  }

  void intervene(const Ending& intervention) {
    if (!intervention_) intervened_at_ = nanoseconds_now();
    intervention_ = intervention;
  }

  void kill_lecture(const Ending& intervention) {
    intervene(intervention);
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
    out_.drain(to_stdout_);
    err_.drain(to_stderr_);
    shown_out_.drain(to_stdout_);
    shown_err_.drain(to_stderr_);
    told_.drain(diagnostics_);
  }

  const RunOptions& options_;
  const Seat& seat_;
  RunBlock& block_;
  SignalQueue signals_{SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  OutputPipe out_{capture::kLimit}, err_{capture::kLimit};
  OutputPipe shown_out_{0}, shown_err_{0}, told_{0};  // of ranks above 0, on the way to the terminal
  Outlet to_stdout_, to_stderr_, diagnostics_;
  pid_t lecture_ = -1;
  std::optional<Time::time_point> deadline_;     // at which the lecture is killed
  std::optional<Time::time_point> alone_since_;  // since a rank has failed
  std::optional<Ending> intervention_;
  std::int64_t intervened_at_ = 0;
  std::optional<int> wait_status_;
};

}  // namespace

RunOutcome supervise_lecture(const RunOptions& options, const Seat& seat) {
  return Supervisor(options, seat).run();
}

RunOutcome finish_orphaned(const RunOptions& options, const Seat& seat) {
  const RunBlock& block = seat.block;
  // The kernel kills the lecture with its supervisor; once nothing changes any more, it is dead.
  std::uint64_t committed = 0;
  do {
    committed = block.committed.load().bytes;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (block.committed.load().bytes != committed);
  const std::string reason = "the supervising process was killed";
  if (!block.holds_a_trace()) throw Error(options.program.string() + ": recorded nothing: " + reason);
  return complete_trace(options, seat.files, block, {.by = "orphaned", .status = 1}, reason);
}

}  // namespace lectern
