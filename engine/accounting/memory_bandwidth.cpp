#include "accounting/memory_bandwidth.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <sys/mman.h>

namespace lectern {
namespace {

using CopyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kPage = 4096, kLargePage = std::size_t{2} << 20, kCopied = std::size_t{64} << 10;
constexpr std::size_t kLeastBuffer = std::size_t{64} << 20, kMostBuffer = std::size_t{1} << 30;
constexpr std::size_t kPass = std::size_t{4} << 20;  // short, so that some of many run undisturbed
constexpr int kManyPasses = 20, kMostPasses = 500;
constexpr milliseconds kTouchLimit{20}, kLimit{34},
    kPatience{100};  // the last with each phase of a busy machine
constexpr milliseconds kSlowPage{1};

/// Memory of the kernel's, not of the tensors' allocator.
class CopyBuffer {
 public:
  explicit CopyBuffer(std::size_t bytes) : bytes_(bytes + kLargePage) {
    void* const mapped =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return;
    mapped_ = static_cast<std::byte*>(mapped);
    madvise(mapped_, bytes_, MADV_HUGEPAGE);
  }
  ~CopyBuffer() {
    if (mapped_ != nullptr) munmap(mapped_, bytes_);
  }
  CopyBuffer(const CopyBuffer&) = delete;
  CopyBuffer& operator=(const CopyBuffer&) = delete;

  bool exists() const { return mapped_ != nullptr; }
  std::byte* begin() const {
    const auto misplaced = reinterpret_cast<std::uintptr_t>(mapped_) % kLargePage;
    return mapped_ + (misplaced == 0 ? 0 : kLargePage - misplaced);
  }

 private:
  std::byte* mapped_ = nullptr;
  std::size_t bytes_;
};

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::size_t leading_number(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// How many processors a list of the kernel's names: "0-3,8-11".
std::size_t count_listed(std::string_view list) {
  std::size_t count = 0;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view range = list.substr(0, end);
    const std::size_t dash = range.find('-');
    const std::size_t first = leading_number(range);
    const std::size_t last = dash == std::string_view::npos ? first : leading_number(range.substr(dash + 1));
    count += last >= first ? last - first + 1 : 0;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return count;
}

/// The bytes of all last caches that so many threads may have to themselves; 0 if unknown.
std::size_t last_caches(std::size_t threads) {
  const std::string caches = "/sys/devices/system/cpu/cpu0/cache/index";
  for (const char* const level : {"3", "2"}) {
    const std::string size = first_line(caches + level + "/size");
    if (size.empty()) continue;
    const std::size_t unit = size.back() == 'M' ? 1 << 20 : 1 << 10;
    const std::size_t sharing =
        std::max<std::size_t>(1, count_listed(first_line(caches + level + "/shared_cpu_list")));
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t instances = std::min(threads, (processors + sharing - 1) / sharing);
    return leading_number(size) * unit * instances;
  }
  return 0;
}

/// Threads that copy in step with each other.
class CopyTeam {
 public:
  /// `share` and `needed`: of each thread and each half, wanted and at least; multiples of kPass.
  CopyTeam(const CopyBuffer& buffer, std::size_t share, std::size_t needed, int threads)
      : buffer_(buffer), share_(share), needed_(needed) {
    std::vector<std::jthread> members;
    members.reserve(static_cast<std::size_t>(threads));
    try {
      for (int i = 0; i < threads; ++i) members.emplace_back([this, i] { run(static_cast<std::size_t>(i)); });
    } catch (const std::system_error&) {  // fewer, then
    }
    members_ = members.size();
    std::barrier<EndOfPhase> phase(static_cast<std::ptrdiff_t>(members_), EndOfPhase{this});
    phase_ = &phase;
    started_.store(true, std::memory_order_release);
    started_.notify_all();
    members.clear();  // waits for them
  }

  /// One pass in ten was faster.
  std::optional<double> bytes_per_second() {
    if (passes_ <= 0) return {};
    const auto end = passes_seconds_.begin() + passes_, fast = passes_seconds_.begin() + passes_ / 10;
    std::nth_element(passes_seconds_.begin(), fast, end);
    return static_cast<double>(2 * members_ * kPass) / *fast;
  }

 private:
  /// Runs when all members have come to the end of a phase.
  struct EndOfPhase {
    CopyTeam* team;
    void operator()() noexcept { team->end_phase(); }
  };

  void end_phase() noexcept {
    const CopyClock::time_point now = CopyClock::now();
    if (passes_ >= 0) {
      passes_seconds_[static_cast<std::size_t>(passes_)] =
          std::chrono::duration<double>(now - phase_begin_).count();
      offset_ = offset_ + kPass < share_ ? offset_ + kPass : 0;
    } else {
      share_ = std::min(share_, least_touched_.load() / kPass * kPass);
      touched_ = now;
    }
    ++passes_;
    const CopyClock::time_point end = passes_ < kManyPasses ? touched_ + kPatience : begin_ + kLimit;
    done_ = share_ < needed_ || passes_ == kMostPasses || now > end;
    phase_begin_ = CopyClock::now();
  }

  void run(std::size_t member) {
    started_.wait(false, std::memory_order_acquire);
    std::byte* const source = buffer_.begin() + 2 * member * share_;
    std::byte* const target = source + share_;
    const std::size_t touched = touch(source, target);
    std::size_t least = least_touched_.load();
    while (touched < least && !least_touched_.compare_exchange_weak(least, touched)) {
    }
    phase_->arrive_and_wait();
    while (!done_) {
      for (std::size_t at = offset_; at < offset_ + kPass; at += kCopied)
        std::memcpy(target + at, source + at, kCopied);
      phase_->arrive_and_wait();
    }
  }

  /// Makes the pages exist, on the memory that is nearest to the thread. Returns how many bytes of each half
  /// do.
  std::size_t touch(std::byte* source, std::byte* target) const {
    for (std::size_t at = 0; at < share_; at += kLargePage) {
      const CopyClock::time_point now = CopyClock::now();
      if (now > begin_ + (at < needed_ ? kPatience : kTouchLimit)) return at;
      for (std::size_t i = at; i < at + kLargePage; i += kPage) source[i] = target[i] = std::byte{1};
      // Large pages that the kernel has yet to make room for cost more than they bring.
      if (CopyClock::now() - now > 2 * kSlowPage) madvise(source + at, 2 * share_ - at, MADV_NOHUGEPAGE);
    }
    return share_;
  }

  const CopyBuffer& buffer_;
  std::size_t share_;  ///< of each member and each half
  const std::size_t needed_;
  std::size_t offset_ = 0;  ///< of the next pass
  std::size_t members_ = 0;
  std::barrier<EndOfPhase>* phase_ = nullptr;
  std::atomic<bool> started_ = false;
  std::atomic<std::size_t> least_touched_ = std::numeric_limits<std::size_t>::max();
  CopyClock::time_point begin_ = CopyClock::now(), touched_ = begin_, phase_begin_ = begin_;
  std::array<double, kMostPasses> passes_seconds_{};
  int passes_ = -1;  ///< of copying; the first phase touches
  bool done_ = false;
};

}  // namespace

std::optional<double> measure_memory_bandwidth(int threads) {
  threads = std::max(1, threads);
  const auto count = static_cast<std::size_t>(threads);
  const std::size_t caches = last_caches(count);
  const auto share = [count](std::size_t bytes) {  // of each thread and each half, in whole passes
    return (bytes / 2 / count + kPass - 1) / kPass * kPass;
  };
  const std::size_t wanted = share(std::clamp(2 * caches, kLeastBuffer, kMostBuffer));
  const CopyBuffer buffer(2 * count * wanted);
  if (!buffer.exists()) return {};
  return CopyTeam(buffer, wanted, share(std::max(3 * caches / 2, kLeastBuffer / 2)), threads)
      .bytes_per_second();
}

}  // namespace lectern
