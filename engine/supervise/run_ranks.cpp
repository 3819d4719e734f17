#include "supervise/run_ranks.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/temporary_folder.h"
#include "supervise/signal_queue.h"
#include "supervise/supervisor.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

template <std::size_t N>
void copy_path(char (&to)[N], const std::string& text) {
  if (text.size() >= N) throw Error(text + ": this name is too long to record to");
  copy_text(to, text);
}

/// An object in memory that is shared with the processes begun from now on.
template <typename T>
class Shared {
 public:
  template <typename... Arguments>
  explicit Shared(Arguments... arguments) : descriptor_(memfd_create("lectern-run", MFD_CLOEXEC)) {
    void* memory = MAP_FAILED;
    if (descriptor_ >= 0 && ftruncate(descriptor_, sizeof(T)) == 0)
      memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (memory == MAP_FAILED)
      throw Error(std::string("no memory to share with the lecture: ") + std::strerror(errno));
    object_ = new (memory) T{arguments...};
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    munmap(object_, sizeof(T));
    close(descriptor_);
  }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  T* object_;
};

/// A process of the run: where it records, and its supervisor.
struct Rank {
  RunOptions options;
  TraceFiles files;
  Shared<RunBlock> block = Shared<RunBlock>();
  Seat seat;
  pid_t supervisor = -1;
  bool was_killed = false;  ///< the supervisor

  Rank(const RunOptions& asked, int rank, const Shared<RankBoard>& board, const fs::path& meeting)
      : options(asked),
        files(TraceFiles::beside(rank_file(asked.output, rank))),
        seat{files, *block, block.descriptor(), getpid(), *board, meeting} {
    options.output = rank_file(asked.output, rank);
    block->version = RunBlock::kVersion;
    block->rank = rank;
    block->processes = asked.processes;
    copy_path(block->trace, files.partial.string());
    copy_path(block->assets, files.partial_assets.string());
    copy_path(block->lecture, options.lecture);
    copy_path(block->profile, options.profile);
    copy_path(block->author, options.author_folder.string());
  }

  void start() {
    supervisor = fork();
    if (supervisor < 0)
      throw Error(std::string("no process to supervise the lecture: ") + std::strerror(errno));
    if (supervisor == 0) supervise();
  }

  /// Whether it is there still.
  bool look() {
    int status = 0;
    if (supervisor < 0 || waitpid(supervisor, &status, WNOHANG) == 0) return supervisor >= 0;
    supervisor = -1;
    was_killed = !WIFEXITED(status);
    if (was_killed && !seat.board.has_ended(block->rank)) seat.board.note_failure(block->rank, 0);
    return false;
  }

  RunOutcome outcome() const {
    if (was_killed) return finish_orphaned(options, seat);
    if (block->error[0] != '\0') throw Error(block->error);
    return {.status = block->exit_status,
            .failed = block->failed != 0,
            .by = block->by,
            .reason = block->reason,
            .steps = block->committed.load().steps};
  }

 private:
  [[noreturn]] void supervise() {
    try {
      const RunOutcome outcome = supervise_lecture(options, seat);
      block->exit_status = outcome.status;
      block->failed = outcome.failed ? 1 : 0;
      copy_text(block->by, outcome.by);
      copy_text(block->reason, outcome.reason);
    } catch (const std::exception& error) {
      files.discard();
      copy_text(block->error, error.what());
      if (!seat.board.has_ended(block->rank)) seat.board.note_failure(block->rank, 0);
    }
    _exit(0);
  }
};

using Ranks = std::vector<std::unique_ptr<Rank>>;

/// Forwards signals until all supervisors are gone.
void wait_for(const Ranks& ranks, const SignalQueue& signals) {
  const auto are_there = [&] {
    return std::count_if(ranks.begin(), ranks.end(), [](const auto& rank) { return rank->look(); }) > 0;
  };
  while (are_there()) {
    pollfd pending{signals.descriptor(), POLLIN, 0};
    poll(&pending, 1, kPollInterval.count());  // SIGCHLD may have gone to another thread
    while (const int signal = signals.next()) {
      for (const auto& rank : ranks) {
        if (signal != SIGCHLD && rank->supervisor > 0) kill(rank->supervisor, signal);
      }
    }
  }
}

void run_all(const Ranks& ranks) {
  const SignalQueue signals{SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  try {
    for (const auto& rank : ranks) rank->start();
  } catch (...) {
    for (const auto& rank : ranks) {
      if (rank->supervisor > 0) kill(rank->supervisor, SIGTERM);
      if (rank->supervisor < 0) rank->seat.board.note_failure(rank->block->rank, 0);
    }
    wait_for(ranks, signals);
    throw;
  }
  wait_for(ranks, signals);
}

}  // namespace

std::optional<RunOutcome> run_ranks(RunOptions& options) {
  const int count = std::max(options.processes, 1);
  const Shared<RankBoard> board(count);
  std::optional<TemporaryFolder> meeting;
  if (options.processes > 0) meeting.emplace("ranks");
  Ranks ranks;
  for (int rank = 0; rank < count; ++rank)
    ranks.push_back(std::make_unique<Rank>(options, rank, board, meeting ? meeting->path() : fs::path()));
  try {
    for (const auto& rank : ranks) rank->files.prepare();
    run_all(ranks);
    options.processes = std::max(options.processes, ranks.front()->block->declared);
    if (ranks.front()->block->declared > 0) return {};
    std::vector<RunOutcome> outcomes;
    outcomes.reserve(ranks.size());
    for (const auto& rank : ranks) outcomes.push_back(rank->outcome());
    return outcomes[static_cast<std::size_t>(board->first_failed().value_or(0))];
  } catch (...) {
    for (const auto& rank : ranks) rank->files.discard();
    throw;
  }
}

}  // namespace lectern
