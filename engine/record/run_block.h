#pragma once

#include <atomic>
#include <cstdint>

namespace lectern {

/// How far a recording got. Both numbers change as one, wherever the writer is killed; only the writer calls
/// store().
struct Committed {
  struct Extent {
    std::uint64_t bytes;  ///< of the file that hold whole fields; the rest is torn
    std::uint64_t steps;
  };

  Extent load() const { return extents[current.load(std::memory_order_acquire)]; }
  void store(Extent extent) {
    const unsigned next = 1 - current.load(std::memory_order_relaxed);
    extents[next] = extent;
    current.store(next, std::memory_order_release);
  }

  Extent extents[2];
  std::atomic<unsigned> current;
};

/// What a running lecture and its supervisor share: one block of memory behind a descriptor whose number
/// stands in the environment. The supervisor says where to record; the recorder says how far it got and why
/// the lecture ended, and never closes the document itself: so a lecture that is killed leaves no less than
/// one that returns.
struct RunBlock {
  static constexpr const char* kVariable = "LECTERN_RUN";
  static constexpr std::uint32_t kVersion = 2;

  enum class Cause : int { none, returned, exited, exception, claim, signal };

  std::uint32_t version;

  /// Whether a recorder came as far as the document's beginning.
  bool holds_a_trace() const { return recorder.load() != 0 && committed.load().bytes > 0; }

  // From the supervisor.
  char trace[4096];   ///< the file to append to, absolute
  char assets[4096];  ///< the folder for what the lecture shows, absolute; made by the recorder on first use
  char lecture[256];
  char profile[64];
  int terminal[2];  ///< descriptors where captured standard output and error are passed on
  int author;  ///< descriptor for what Lectern itself has to say, whatever becomes of the lecture's output

  // From the recorder.
  std::atomic<int> recorder;  ///< its process, 0 before it started
  Committed committed;
  std::atomic<int> failure;  ///< errno of the file; nothing was recorded after it
  std::atomic<Cause> cause;
  int status;  ///< for exited
  int signal;  ///< for signal
  int stack_overflow;
  char path[1024];  ///< where it ended: the file, relative to the lecture's folder, and the line; empty
                    ///< outside of it
  int line;
  char type[512];   ///< of the exception
  char what[4096];  ///< its message, or the claim's

  // From the keeper to the front process.
  std::atomic<int> finished;
  char by[32];
  char reason[4096];
  int exit_status;
  int exec_error;
};

}  // namespace lectern
