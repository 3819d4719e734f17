#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string_view>

namespace lectern {

/// How much of a trace is complete. Both numbers change as one, wherever the writer is killed; only the
/// writer calls store().
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

/// Memory that a lecture shares with its supervisor, through a descriptor whose number is in the environment.
/// The supervisor says where to record; the recorder says how far it got and why the lecture ended, and never
/// closes the document itself: a lecture that is killed leaves as much as one that returns.
struct RunBlock {
  static constexpr const char* kVariable = "LECTERN_RUN";
  static constexpr std::uint32_t kVersion = 6;

  enum class Cause : int { none, returned, exited, exception, claim, signal };

  /// The block of this process; null when no trace was asked for, or another process records already.
  static RunBlock* attach();

  /// Async-signal-safe, as all here.
  void note_cause(Cause why) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    ended_at.store(now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec);
    cause.store(why);
  }

  /// Whether a recorder has written the beginning of the document.
  bool holds_a_trace() const { return recorder.load() != 0 && committed.load().bytes > 0; }

  std::uint32_t version;

  // Written by the supervisor.
  char trace[4096];   ///< the file to append to, absolute
  char assets[4096];  ///< the folder for what the lecture shows, absolute; made by the recorder on first use
  char lecture[256];
  char profile[64];
  char author[4096];  ///< the folder from which the author names files, absolute; empty: where the lecture
                      ///< runs
  int rank;           ///< of this process
  int processes;      ///< of the run, as it was asked for; 0: one, unless the lecture says otherwise
  int terminal[2];    ///< descriptors to which captured standard output and error are passed on
  int diagnostics;  ///< descriptor for Lectern's own messages, open whatever the lecture does with its output

  // Written by the recorder.
  std::atomic<int> recorder;  ///< its process, 0 before it started
  Committed committed;
  std::atomic<int> failure;  ///< errno of the file; nothing was recorded after it
  std::atomic<Cause> cause;
  std::atomic<std::int64_t> ended_at;  ///< when the cause was noted: nanoseconds of the monotonic clock
  int declared;  ///< the processes that the lecture asks for; it did not begin, since it was one, unasked
  int signal;    ///< for Cause::signal
  int stack_overflow;
  char folder[4096];  ///< the lecture's, as the author names it: "lectures/", empty or absolute
  char path[1024];    ///< the source file where it ended, relative to that; empty outside of it
  int line, column;
  int exercise;     ///< whether a file of the lecture is one of an exercise
  char type[512];   ///< of the exception
  char what[4096];  ///< its message, or the claim's

  // Written by the supervisor for `lectern run`.
  int exec_error;  ///< errno; the program could not be executed
  int exit_status;
  int failed;
  char by[32];
  char reason[4096];
  char error[4096];  ///< of the run itself, empty when the trace is at its place
};

/// Copies as much as fits.
template <std::size_t N>
void copy_text(char (&to)[N], std::string_view text) {
  const std::size_t size = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), size);
  to[size] = '\0';
}

}  // namespace lectern
