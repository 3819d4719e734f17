#include "simulated_gpu/mma.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "kernels/cuda/grid.h"

namespace lectern::test {
namespace {

using kernels::cuda::kWarpThreads;

struct Copy {
  SharedAddress to;
  const void* from;  ///< null: zeros
  std::size_t bytes;
};

struct Thread {
  std::vector<Copy> copies;               ///< not yet committed
  std::vector<std::vector<Copy>> groups;  ///< not yet there
  unsigned exchanges = 0;
  alignas(8) std::byte sent[2][24];  ///< of the last two exchanges
};

std::vector<Thread> threads;
std::vector<std::byte> memory;

[[noreturn]] void abort_because(const char* reason) {
  std::fprintf(stderr, "a kernel of the simulated GPU: %s\n", reason);
  std::abort();
}

Thread& own_thread() {
  return threads[static_cast<std::size_t>(current())];
}

/// The values of a warp's lanes, until the exchange after the next: a lane is at most one ahead.
template <typename T>
class Sent {
 public:
  explicit Sent(const T& value) {
    static_assert(sizeof(T) <= sizeof(Thread::sent[0]));
    Thread& own = own_thread();
    turn_ = own.exchanges++ % 2;
    std::memcpy(own.sent[turn_], &value, sizeof(T));
    first_ = current() / kWarpThreads * kWarpThreads;
    meet_warp();
  }
  T of(int lane) const {
    T value;
    std::memcpy(&value, threads[static_cast<std::size_t>(first_ + lane)].sent[turn_], sizeof(T));
    return value;
  }

 private:
  unsigned turn_;
  int first_;
};

struct Fragments {
  std::uint32_t words[6];
};

std::uint16_t half_of(std::uint32_t word, int index) {
  return static_cast<std::uint16_t>(index % 2 == 0 ? word : word >> 16);
}

/// The rows of a matrix are read at once: each in banks of its own.
void count_conflicts(const Sent<SharedAddress>& rows, int matrix) {
  unsigned banks = 0;
  for (int row = 0; row < 8; ++row) banks |= 1U << (rows.of(matrix * 8 + row) / 16 % 8);
  if (banks != 0xFF) ++bank_conflicts;
}

}  // namespace

void begin_tiles(int count, int shared_bytes) {
  threads.assign(static_cast<std::size_t>(count), {});
  memory.assign(static_cast<std::size_t>(shared_bytes), std::byte{0xFF});
}

void end_tiles() {
  const auto waits = [](const std::vector<Copy>& copies) { return !copies.empty(); };
  for (const Thread& thread : threads) {
    if (waits(thread.copies) || std::ranges::any_of(thread.groups, waits))
      abort_because("a thread ended before what it copies to shared memory was there");
  }
}

std::byte* shared_memory(SharedAddress address, std::size_t bytes) {
  if (address % bytes != 0) abort_because("an address in shared memory is not aligned");
  if (address + bytes > memory.size()) abort_because("an address is past the shared memory");
  return memory.data() + address;
}

void check_alignment(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) {
    abort_because("an address in global memory is not aligned");
  }
}

float exchange_between_lanes(float value, int mask) {
  return Sent(value).of((current() % kWarpThreads) ^ mask);
}

Words read_matrices(SharedAddress row, bool transposed) {
  shared_memory(row, 16);
  const Sent rows(row);
  const int lane = current() % kWarpThreads, group = lane / 4, in_group = lane % 4;
  Words words{};
  for (int matrix = 0; matrix < 4; ++matrix) {
    if (lane == 0) count_conflicts(rows, matrix);
    std::uint16_t pair[2];
    for (int i = 0; i < 2; ++i) {
      const int from = transposed ? 2 * in_group + i : group, at = transposed ? group : 2 * in_group + i;
      std::memcpy(&pair[i], shared_memory(rows.of(matrix * 8 + from), 16) + at * 2, sizeof pair[i]);
    }
    words.at[matrix] = pair[0] | static_cast<std::uint32_t>(pair[1]) << 16;
  }
  return words;
}

void copy_later(SharedAddress to, const void* from, std::size_t bytes, bool present) {
  shared_memory(to, bytes);
  check_alignment(from, bytes);
  own_thread().copies.push_back({to, present ? from : nullptr, bytes});
}

void commit() {
  Thread& own = own_thread();
  own.groups.push_back(std::exchange(own.copies, {}));
}

void wait_for_all_but(std::size_t groups) {
  std::vector<std::vector<Copy>>& all = own_thread().groups;
  while (all.size() > groups) {
    for (const auto& [to, from, bytes] : all.front()) {
      if (from == nullptr) {
        std::memset(shared_memory(to, bytes), 0, bytes);
      } else {
        std::memcpy(shared_memory(to, bytes), from, bytes);
      }
    }
    all.erase(all.begin());
  }
}

void multiply_fragments(float (&sums)[4], const std::uint32_t (&words)[6], float (*widen)(std::uint16_t)) {
  Fragments own{};
  std::memcpy(own.words, words, sizeof own.words);
  const Sent sent(own);
  const int lane = current() % kWarpThreads, group = lane / 4, in_group = lane % 4;
  for (int k = 0; k < 16; ++k) {
    const int pair = k % 8 / 2, later = k / 8;
    const Fragments left = sent.of(group * 4 + pair);
    float right[2];
    for (int column = 0; column < 2; ++column) {
      right[column] = widen(half_of(sent.of((2 * in_group + column) * 4 + pair).words[4 + later], k));
    }
    for (int i = 0; i < 4; ++i) sums[i] += widen(half_of(left.words[2 * later + i / 2], k)) * right[i % 2];
  }
}

}  // namespace lectern::test
