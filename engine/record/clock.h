#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace lectern {

/// Measures short intervals of wall time, by the processor's constant-rate counter where there is one:
/// reading it takes 10 ns, clock_gettime 22.
class Clock {
 public:
  using Ticks = std::int64_t;

  /// Measures the counter's rate: takes a millisecond.
  void start() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    counter_ = __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
    if (!counter_) return;
    const std::int64_t begin = monotonic();
    const Ticks first = now();
    std::int64_t end = begin;
    while (end - begin < 1'000'000) end = monotonic();
    nanoseconds_per_tick_ = static_cast<double>(end - begin) / static_cast<double>(now() - first);
#endif
  }

  Ticks now() const {
#if defined(__x86_64__)
    if (counter_) return static_cast<Ticks>(__rdtsc());
#endif
    return monotonic();
  }

  /// Not below 0: processors' counters may differ by a few ticks.
  std::int64_t nanoseconds(Ticks ticks) const {
    return ticks <= 0 ? 0 : static_cast<std::int64_t>(static_cast<double>(ticks) * nanoseconds_per_tick_);
  }

 private:
  static std::int64_t monotonic() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }

  bool counter_ = false;
  double nanoseconds_per_tick_ = 1;
};

}  // namespace lectern
