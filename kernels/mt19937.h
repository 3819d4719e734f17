#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lectern::kernels {

/// The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998): a period of 2^19937 - 1, and the stream of
/// 32-bit words that PyTorch draws from on the CPU. Seeded with the low 32 bits of the seed. Makes 624 words
/// at once.
class Mt19937 {
 public:
  static constexpr std::size_t kWords = 624;

  /// What determines the words to come. `next` counts those taken from `state`, or is 0 right after seeding,
  /// when `state` has to be advanced before its first use.
  struct State {
    std::array<std::uint32_t, kWords> state;
    std::uint32_t next;

    friend bool operator==(const State&, const State&) = default;
  };

  explicit Mt19937(std::uint64_t seed);
  /// next is at most kWords.
  explicit Mt19937(const State& state);

  std::uint32_t next32() {
    if (next_ == 0 || next_ == kWords) advance();
    return words_[next_++];
  }
  /// Two words, the first one high.
  std::uint64_t next64() {
    const std::uint64_t high = next32();
    return high << 32 | next32();
  }
  /// The next words.size() words.
  void fill(std::span<std::uint32_t> words);
  State state() const { return {state_, next_}; }

 private:
  void advance();
  void temper();

  std::array<std::uint32_t, kWords> state_;
  std::array<std::uint32_t, kWords> words_;  ///< the words that `state_` stands for
  std::uint32_t next_;
};

}  // namespace lectern::kernels
