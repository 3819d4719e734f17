#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "trace/run_block.h"

namespace lectern {

/// Appends to a file through a shared mapping: what was written is the kernel's, whatever becomes of the
/// process. The mapping is a window that slides, so that memory stays flat. Nothing here allocates; signal
/// handlers may append. When the disk is full, what follows goes nowhere, and the block says so.
class MappedFile {
 public:
  /// Room that reserve() guarantees; more than a step's fixed fields take.
  static constexpr std::int64_t kReserve = 512;

  /// Returns whether the file could be opened.
  bool open(RunBlock& block);

  /// Where the next kReserve bytes may be written directly, followed by advance().
  char* reserve() {
    if (limit_ - cursor_ < kReserve) slide(position());
    return cursor_;
  }
  void advance(char* end) { cursor_ = end; }
  void append(std::string_view text);

  std::uint64_t position() const { return offset_ + static_cast<std::uint64_t>(cursor_ - window_); }
  /// Goes back to an earlier position; what follows is overwritten.
  void rewind(std::uint64_t position);

  /// Everything up to here holds whole fields.
  void commit(std::uint64_t steps) {
    steps_->store(steps, std::memory_order_relaxed);
    committed_->store(position(), std::memory_order_release);
  }

 private:
  void slide(std::uint64_t position);
  bool grow(std::uint64_t size);
  void fail(int error);

  int file_ = -1;
  char* window_ = nullptr;
  char* cursor_ = nullptr;
  char* limit_ = nullptr;
  std::uint64_t offset_ = 0;
  RunBlock* block_ = nullptr;
  std::atomic<std::uint64_t>* committed_ = &nowhere_;
  std::atomic<std::uint64_t>* steps_ = &nowhere_;
  std::atomic<std::uint64_t> nowhere_{0};
};

}  // namespace lectern
