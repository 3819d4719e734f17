#include "supervise/supervise.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/run_block.h"
#include "supervise/keeper.h"
#include "supervise/trace_file.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

template <std::size_t N>
void copy_path(char (&to)[N], const std::string& text) {
  if (text.size() >= N) throw Error(text + ": this name is too long to record to");
  std::memcpy(to, text.c_str(), text.size() + 1);
}

// Memory shared with keeper and lecture.
class SharedBlock {
 public:
  SharedBlock() : descriptor_(memfd_create("lectern-run", MFD_CLOEXEC)) {
    void* memory = MAP_FAILED;
    if (descriptor_ >= 0 && ftruncate(descriptor_, sizeof(RunBlock)) == 0)
      memory = mmap(nullptr, sizeof(RunBlock), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED)
      throw Error(std::string("no memory to share with the lecture: ") + std::strerror(errno));
    block_ = new (memory) RunBlock{};
    block_->version = RunBlock::kVersion;
  }
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;
  ~SharedBlock() {
    munmap(block_, sizeof(RunBlock));
    close(descriptor_);
  }
  RunBlock& operator*() const { return *block_; }
  RunBlock* operator->() const { return block_; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  RunBlock* block_;
};

struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("no pipe: ") + std::strerror(errno));
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  int ends[2];
};

// Signals that ask this process to end, taken from a descriptor while one exists.
class EndingSignals {
 public:
  EndingSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, number);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
    descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;
  ~EndingSignals() {
    close(descriptor_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  int descriptor() const { return descriptor_; }
  const sigset_t& before() const { return before_; }

 private:
  int descriptor_;
  sigset_t before_;
};

void check_program(const fs::path& program) {
  std::error_code error;
  if (!fs::exists(program, error))
    throw Error(program.string() + ": there is no such program; build the lecture first");
  if (fs::is_directory(program, error) || access(program.c_str(), X_OK) != 0)
    throw Error(program.string() + ": this is not an executable program; name the compiled lecture");
}

void check_output(const fs::path& output) {
  std::error_code error;
  if (output.filename().empty() || output.filename() == "." || output.filename() == "..")
    throw Error("`" + output.string() + "` names no file for the trace; give one like NAME.json");
  if (output.extension() == ".assets")
    throw Error(output.string() + ": this is the name of the folder beside a trace; give one like NAME.json");
  if (fs::exists(output, error) && !fs::is_regular_file(output, error)) {
    throw Error(output.string() + ": this is not a regular file; name another one for the trace");
  }
}

// Forwards signals until the keeper is gone; returns whether it ended in order.
bool wait_for_keeper(pid_t keeper, int done, const EndingSignals& signals) {
  for (bool running = true; running;) {
    pollfd watched[] = {{signals.descriptor(), POLLIN, 0}, {done, POLLIN, 0}};
    poll(watched, 2, -1);
    signalfd_siginfo info{};
    while (read(signals.descriptor(), &info, sizeof info) == sizeof info)
      kill(keeper, static_cast<int>(info.ssi_signo));
    running = watched[1].revents == 0;
  }
  int status = 0;
  while (waitpid(keeper, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status);
}

RunOutcome outcome_of(const RunOptions& options, const RunBlock& block) {
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
    const std::string how =
        block.reason[0] == '\0' ? "" : std::string(" (it ended with ") + block.reason + ")";
    throw Error(program + ": recorded nothing" + how +
                "; only a lecture built by `lectern build` or lectern_add_lecture can be recorded");
  }
  RunOutcome outcome{.status = block.exit_status,
                     .by = block.by,
                     .reason = block.reason,
                     .steps = block.committed.load().steps};
  const bool from_outside = outcome.by == "killed" || outcome.by == "interrupted" || outcome.by == "orphaned";
  if (options.record_failures && !from_outside) outcome.status = 0;
  return outcome;
}

}  // namespace

RunOutcome run_lecture(const RunOptions& asked) {
  RunOptions options = asked;
  check_program(options.program);
  check_output(options.output);
  options.program = fs::absolute(options.program);
  const TraceFiles files = TraceFiles::beside(options.output);
  if (options.lecture.empty()) options.lecture = files.trace.stem().string();
  const SharedBlock block;
  copy_path(block->trace, files.partial.string());
  copy_path(block->assets, files.partial_assets.string());
  copy_path(block->lecture, options.lecture);
  copy_path(block->profile, options.profile);
  files.prepare();

  Pipe front, done;
  bool in_order = false;
  {
    const EndingSignals signals;
    const pid_t keeper = fork();
    if (keeper < 0) throw Error(std::string("no process to supervise the lecture: ") + std::strerror(errno));
    if (keeper == 0) {
      front.close_end(1);
      done.close_end(0);
      try {
        keep_lecture(options, files, *block, block.descriptor(), front.ends[0]);
        block->finished.store(1);
      } catch (const std::exception& error) {
        const std::string text = error.what();
        std::memcpy(block->reason, text.c_str(), std::min(text.size(), sizeof block->reason - 1) + 1);
        block->finished.store(2);
      }
      _exit(0);
    }
    front.close_end(0);
    done.close_end(1);
    in_order = wait_for_keeper(keeper, done.ends[0], signals);
  }
  if (!in_order) finish_orphaned(files, *block);
  if (block->finished.load() == 2 || block->exec_error != 0) files.discard();
  if (block->finished.load() == 2) throw Error(block->reason);
  return outcome_of(options, *block);
}

}  // namespace lectern
