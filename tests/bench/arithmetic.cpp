#include "bench/arithmetic.h"

#include <cstdint>

#include "bench/measure.h"
#include "device/threads.h"
#include "kernels/cpu/isa.h"

namespace lectern::bench {
namespace {

/// Vectors side by side, so that none waits: two begin in a cycle, and one takes four.
constexpr int kVectors = 8;

/// `times` of them on each of kNumbers numbers.
template <int kNumbers>
[[gnu::always_inline]] inline void multiply_add(float* numbers, std::int64_t times) {
  float sums[kNumbers];
  for (int i = 0; i < kNumbers; ++i) sums[i] = numbers[i];
  for (std::int64_t k = 0; k < times; ++k) {
    for (int i = 0; i < kNumbers; ++i) sums[i] = sums[i] * 0.5F + 1.0F;
  }
  for (int i = 0; i < kNumbers; ++i) numbers[i] = sums[i];
}

constexpr int kNumbersOfV3 = kVectors * 8, kNumbersOfV4 = kVectors * 16;

// clang-format off
LECTERN_WITH_V3([[gnu::target("arch=x86-64-v3")]]
void multiply_add_v3(float* numbers, std::int64_t times) { multiply_add<kNumbersOfV3>(numbers, times); })
LECTERN_WITH_V4([[gnu::target("arch=x86-64-v4,prefer-vector-width=512")]]
void multiply_add_v4(float* numbers, std::int64_t times) { multiply_add<kNumbersOfV4>(numbers, times); })
// clang-format on

/// Of one multiply-add, on one thread; 0 where no instruction does one.
double nanoseconds_of_one() {
  [[maybe_unused]] float numbers[kNumbersOfV4] = {};
  [[maybe_unused]] const auto of = [&](auto function, int count) {
    return measure([&](std::int64_t times) { function(numbers, times); }).nanoseconds / count;
  };
  LECTERN_WITH_V4(if (kernels::isa() == kernels::Isa::v4) return of(multiply_add_v4, kNumbersOfV4);)
  LECTERN_WITH_V3(if (kernels::isa() == kernels::Isa::v3) return of(multiply_add_v3, kNumbersOfV3);)
  return 0;
}

}  // namespace

double multiply_add_nanoseconds(double count) {
  static const double of_one = nanoseconds_of_one();
  return count * of_one / get_num_threads();
}

}  // namespace lectern::bench
