#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "trace/ranks.h"

namespace lectern {

/// In memory that the supervisors of a run's ranks share: which of them have ended, and how. Each writes its
/// own entry, once.
class RankBoard {
 public:
  explicit RankBoard(int size) : size_(size) {}

  int size() const { return size_; }

  void note_success(int rank) { entries_[place(rank)].state.store(State::ended); }
  /// `when`: nanoseconds of the monotonic clock.
  void note_failure(int rank, std::int64_t when) {
    entries_[place(rank)].when.store(when);
    entries_[place(rank)].state.store(State::failed);
  }

  bool all_ended() const {
    for (int rank = 0; rank < size_; ++rank) {
      if (entries_[place(rank)].state.load() == State::running) return false;
    }
    return true;
  }
  bool has_ended(int rank) const { return entries_[place(rank)].state.load() != State::running; }
  /// The rank that failed first, of those that have.
  std::optional<int> first_failed() const {
    std::optional<int> first;
    for (int rank = 0; rank < size_; ++rank) {
      const Entry& entry = entries_[place(rank)];
      if (entry.state.load() != State::failed) continue;
      if (!first || entry.when.load() < entries_[place(*first)].when.load()) first = rank;
    }
    return first;
  }

 private:
  enum class State : int { running, ended, failed };
  struct Entry {
    std::atomic<std::int64_t> when{0};
    std::atomic<State> state{State::running};
  };

  static std::size_t place(int rank) { return static_cast<std::size_t>(rank); }

  int size_;
  std::array<Entry, kMostProcesses> entries_;
};

}  // namespace lectern
