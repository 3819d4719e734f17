#include "accounting/memory_bandwidth.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include <sys/mman.h>

namespace lectern {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Of the last cache that a core has, in bytes; of a large one where the kernel does not tell.
std::size_t last_cache_size() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  std::size_t kibibytes = 0;
  return file >> kibibytes ? kibibytes << 10 : 32 * kMebibyte;
}

/// Memory of the kernel's, not of the tensors' allocator.
class CopyBuffer {
 public:
  explicit CopyBuffer(std::size_t bytes) : bytes_(bytes) {
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return;
    madvise(mapped, bytes, MADV_HUGEPAGE);
    begin_ = static_cast<std::byte*>(mapped);
  }
  ~CopyBuffer() {
    if (begin_ != nullptr) munmap(begin_, bytes_);
  }
  CopyBuffer(const CopyBuffer&) = delete;
  CopyBuffer& operator=(const CopyBuffer&) = delete;

  std::byte* begin() const { return begin_; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_;
};

}  // namespace

std::optional<double> measure_memory_bandwidth(int threads) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLimit{30};
  const auto count = static_cast<std::size_t>(std::max(1, threads));
  const std::size_t bytes = std::clamp(count * last_cache_size(), 64 * kMebibyte, 1024 * kMebibyte);
  const std::size_t share = bytes / 2 / count;  // of each thread, read and written
  const CopyBuffer buffer(bytes);
  if (buffer.begin() == nullptr) return {};
  // Threads of its own: OpenMP's would stay, and a lecture may fork.
  const auto seconds_of_copy = [&] {
    const Clock::time_point start = Clock::now();
    std::vector<std::jthread> team;
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* const from = buffer.begin() + 2 * i * share;
      team.emplace_back([from, share] { std::memcpy(from + share, from, share); });
    }
    team.clear();  // waits for them
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::memset(buffer.begin(), 1, bytes);
  double shortest = seconds_of_copy();
  for (const Clock::time_point end = Clock::now() + kLimit; Clock::now() < end;)
    shortest = std::min(shortest, seconds_of_copy());
  return static_cast<double>(2 * share * count) / shortest;
}

}  // namespace lectern
