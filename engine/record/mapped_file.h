#pragma once

#include <cstdint>
#include <string_view>

#include "record/run_block.h"

namespace lectern {

/// Appends to a file through a shared memory mapping: what was written survives the process, however it ends.
/// The mapping is a sliding window, so that memory stays constant. Nothing here allocates: signal handlers
/// may append. When the disk is full, what follows is discarded, and the block says so.
class MappedFile {
 public:
  /// The space that reserve() guarantees, more than a step's fixed fields take.
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
  /// Returns to an earlier position, up to which there were `steps` steps; what follows is overwritten.
  void rewind(std::uint64_t position, std::uint64_t steps);

  /// Marks everything up to here as whole fields.
  void commit(std::uint64_t steps) { committed_->store({position(), steps}); }

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
  Committed* committed_ = &nowhere_;
  Committed nowhere_{};
};

}  // namespace lectern
