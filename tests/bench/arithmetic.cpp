#include "bench/arithmetic.h"

#include <cstdint>

#include "bench/measure.h"
#include "device/threads.h"
#include "kernels/cpu/isa.h"

namespace lectern::bench {
namespace {

/// Vectors side by side, so that none waits: two begin in a cycle, and one takes four.
constexpr int kVectors = 8;

/// Defines a function that does `times` of them on each number of kVectors vectors.
#define LECTERN_MULTIPLY_ADD(level, bytes)                                                               \
  [[gnu::target("arch=x86-64-" #level)]] void multiply_add_##level(float* numbers, std::int64_t times) { \
    typedef float Vector __attribute__((vector_size(bytes)));                                            \
    Vector sums[kVectors];                                                                               \
    __builtin_memcpy(sums, numbers, sizeof sums);                                                        \
    for (std::int64_t k = 0; k < times; ++k) {                                                           \
      for (Vector & sum : sums) sum = sum * 0.5F + 1.0F;                                                 \
    }                                                                                                    \
    __builtin_memcpy(numbers, sums, sizeof sums);                                                        \
  }
#ifdef __x86_64__
LECTERN_MULTIPLY_ADD(v3, 32)
LECTERN_MULTIPLY_ADD(v4, 64)
#endif
#undef LECTERN_MULTIPLY_ADD

/// Of one multiply-add, on one thread; 0 where no instruction does one.
double nanoseconds_of_one() {
  [[maybe_unused]] float numbers[kVectors * 16] = {};
  [[maybe_unused]] const auto of = [&](auto function, int count) {
    return measure([&](std::int64_t times) { function(numbers, times); }).nanoseconds / count;
  };
#ifdef __x86_64__
  if (kernels::cpu::isa() == kernels::cpu::Isa::v4) return of(multiply_add_v4, kVectors * 16);
  if (kernels::cpu::isa() == kernels::cpu::Isa::v3) return of(multiply_add_v3, kVectors * 8);
#endif
  return 0;
}

}  // namespace

double multiply_add_nanoseconds(double count) {
  static const double of_one = nanoseconds_of_one();
  return count * of_one / get_num_threads();
}

}  // namespace lectern::bench
