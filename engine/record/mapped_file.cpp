#include "record/mapped_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/high_descriptor.h"

namespace lectern {
namespace {

constexpr std::uint64_t kWindow = 1 << 20;

}  // namespace

bool MappedFile::open(RunBlock& block) {
  file_ = ::open(block.trace, O_RDWR | O_CLOEXEC);
  if (file_ < 0) return false;
  file_ = move_descriptor_up(file_);
  block_ = &block;
  committed_ = &block.committed;
  slide(0);
  return true;
}

void MappedFile::append(std::string_view text) {
  while (!text.empty()) {
    if (cursor_ == limit_) slide(position());
    const std::size_t piece = std::min(text.size(), static_cast<std::size_t>(limit_ - cursor_));
    std::memcpy(cursor_, text.data(), piece);
    cursor_ += piece;
    text.remove_prefix(piece);
  }
}

void MappedFile::rewind(std::uint64_t position, std::uint64_t steps) {
  committed_->store({position, steps});
  if (position >= offset_) {
    cursor_ = window_ + (position - offset_);
  } else {
    slide(position);
  }
}

void MappedFile::slide(std::uint64_t position) {
  if (window_ != nullptr) munmap(window_, kWindow);
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  offset_ = position / page * page;
  void* window = MAP_FAILED;
  if (block_->failure.load(std::memory_order_relaxed) == 0) {
    if (grow(offset_ + kWindow)) {
      window = mmap(nullptr, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_,
                    static_cast<off_t>(offset_));
    }
    if (window == MAP_FAILED) fail(errno);
  }
  if (window == MAP_FAILED) {
    window = mmap(nullptr, kWindow, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (window == MAP_FAILED) _exit(1);  // no memory to record to, nor to go on with
  }
  window_ = static_cast<char*>(window);
  cursor_ = window_ + (position - offset_);
  limit_ = window_ + kWindow;
}

// Allocates the blocks now: with a full disk, a write into the mapping would be a bus error.
bool MappedFile::grow(std::uint64_t size) {
  if (fallocate(file_, 0, 0, static_cast<off_t>(size)) == 0) return true;
  if (errno != EOPNOTSUPP && errno != EBADF) return false;
  // The lecture closed the descriptor, perhaps along with all others.
  if (errno == EBADF) {
    file_ = ::open(block_->trace, O_RDWR | O_CLOEXEC);
    return file_ >= 0 && fallocate(file_, 0, 0, static_cast<off_t>(size)) == 0;
  }
  return ftruncate(file_, static_cast<off_t>(size)) == 0;
}

void MappedFile::fail(int error) {
  block_->failure.store(error, std::memory_order_relaxed);
  committed_ = &nowhere_;
}

}  // namespace lectern
