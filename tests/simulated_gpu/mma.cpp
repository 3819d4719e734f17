#include "simulated_gpu/mma.h"

#include <cstring>
#include <vector>

#include "kernels/cuda/grid.h"
#include "simulated_gpu/fibers.h"

namespace lectern::test {
namespace {

using kernels::cuda::kWarpThreads;

/// Of a matrix of 8 rows.
constexpr SharedAddress kRowBytes = 16;

struct Thread {
  unsigned exchanges = 0;
  alignas(8) std::byte sent[2][24];  ///< of the last two exchanges
};

std::vector<Thread> threads;

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
  for (int row = 0; row < 8; ++row) banks |= 1U << (rows.of(matrix * 8 + row) / kRowBytes % 8);
  if (banks != 0xFF) ++bank_conflicts;
}

}  // namespace

void begin_tiles(int count, int shared_bytes) {
  threads.assign(static_cast<std::size_t>(count), {});
  begin_shared_memory(count, shared_bytes);
}

float exchange_between_lanes(float value, int mask) {
  return Sent(value).of((current() % kWarpThreads) ^ mask);
}

Words read_matrices(SharedAddress row, bool transposed) {
  check_alignment(row, kRowBytes);
  const Sent rows(row);
  const int lane = current() % kWarpThreads, group = lane / 4, in_group = lane % 4;
  Words words{};
  for (int matrix = 0; matrix < 4; ++matrix) {
    if (lane == 0) count_conflicts(rows, matrix);
    std::uint16_t pair[2];
    for (int i = 0; i < 2; ++i) {
      const int from = transposed ? 2 * in_group + i : group, at = transposed ? group : 2 * in_group + i;
      const SharedAddress element =
          rows.of(matrix * 8 + from) + static_cast<SharedAddress>(at) * sizeof pair[i];
      read_shared(element, &pair[i], sizeof pair[i]);
    }
    words.at[matrix] = pair[0] | static_cast<std::uint32_t>(pair[1]) << 16;
  }
  return words;
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
