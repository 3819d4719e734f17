#include "kernels/mt19937.h"

#include <algorithm>

namespace lectern::kernels {
namespace {

constexpr std::size_t kShift = 397;

std::uint32_t twist(std::uint32_t upper, std::uint32_t lower) {
  const std::uint32_t mixed = (upper & 0x80000000U) | (lower & 0x7fffffffU);
  return (mixed >> 1) ^ ((0U - (lower & 1U)) & 0x9908b0dfU);
}

}  // namespace

Mt19937::Mt19937(std::uint64_t seed) : next_(0) {
  state_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < kWords; ++i) {
    state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
}

Mt19937::Mt19937(const State& state) : state_(state.state), next_(state.next) {
  temper();
}

void Mt19937::fill(std::span<std::uint32_t> words) {
  while (!words.empty()) {
    if (next_ == 0 || next_ == kWords) advance();
    const std::size_t count = std::min(words.size(), kWords - next_);
    std::copy_n(words_.begin() + next_, count, words.begin());
    next_ += static_cast<std::uint32_t>(count);
    words = words.subspan(count);
  }
}

void Mt19937::advance() {
  std::uint32_t* const s = state_.data();
  for (std::size_t i = 0; i < kWords - kShift; ++i) s[i] = s[i + kShift] ^ twist(s[i], s[i + 1]);
  for (std::size_t i = kWords - kShift; i < kWords - 1; ++i)
    s[i] = s[i + kShift - kWords] ^ twist(s[i], s[i + 1]);
  s[kWords - 1] = s[kShift - 1] ^ twist(s[kWords - 1], s[0]);
  next_ = 0;
  temper();
}

void Mt19937::temper() {
  for (std::size_t i = 0; i < kWords; ++i) {
    std::uint32_t word = state_[i];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680U;
    word ^= (word << 15) & 0xefc60000U;
    words_[i] = word ^ (word >> 18);
  }
}

}  // namespace lectern::kernels
