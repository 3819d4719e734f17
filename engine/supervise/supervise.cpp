#include "supervise/supervise.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/run_block.h"
#include "supervise/signal_queue.h"
#include "supervise/supervisor.h"
#include "supervise/trace_file.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

template <std::size_t N>
void copy_path(char (&to)[N], const std::string& text) {
  if (text.size() >= N) throw Error(text + ": this name is too long to record to");
  copy_text(to, text);
}

// Memory shared with the supervisor and the lecture.
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

[[noreturn]] void run_supervisor(const RunOptions& options, const TraceFiles& files, const SharedBlock& block,
                                 pid_t command) {
  try {
    const RunOutcome outcome = supervise_lecture(options, files, *block, block.descriptor(), command);
    block->exit_status = outcome.status;
    block->failed = outcome.failed ? 1 : 0;
    copy_text(block->by, outcome.by);
    copy_text(block->reason, outcome.reason);
  } catch (const std::exception& error) {
    files.discard();
    copy_text(block->error, error.what());
  }
  _exit(0);
}

// Forwards signals until the supervisor is gone. Returns whether it ran to completion.
bool wait_for_supervisor(pid_t supervisor, const SignalQueue& signals) {
  int status = 0;
  while (waitpid(supervisor, &status, WNOHANG) == 0) {
    pollfd pending{signals.descriptor(), POLLIN, 0};
    poll(&pending, 1, kPollInterval.count());  // SIGCHLD may have gone to another thread
    while (const int signal = signals.next()) {
      if (signal != SIGCHLD) kill(supervisor, signal);
    }
  }
  return WIFEXITED(status);
}

RunOutcome run_supervised(const RunOptions& options, const TraceFiles& files, const SharedBlock& block) {
  {
    const SignalQueue signals{SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    const pid_t command = getpid(), supervisor = fork();
    if (supervisor < 0)
      throw Error(std::string("no process to supervise the lecture: ") + std::strerror(errno));
    if (supervisor == 0) run_supervisor(options, files, block, command);
    if (!wait_for_supervisor(supervisor, signals)) return finish_orphaned(options, files, *block);
  }
  if (block->error[0] != '\0') throw Error(block->error);
  return {.status = block->exit_status,
          .failed = block->failed != 0,
          .by = block->by,
          .reason = block->reason,
          .steps = block->committed.load().steps};
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
  copy_path(block->author, options.author_folder.string());
  files.prepare();
  try {
    return run_supervised(options, files, block);
  } catch (...) {
    files.discard();
    throw;
  }
}

}  // namespace lectern
