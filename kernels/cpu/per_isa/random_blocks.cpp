#include "kernels/cpu/random_blocks.h"

#include <numbers>

#include "kernels/random_math.h"

namespace lectern::kernels::cpu::LECTERN_ISA {
namespace {

void uniform_float(float* out, const std::uint32_t* words, std::int64_t count, int digits, float from,
                   float range) {
  const std::uint32_t mask = (1U << digits) - 1;
  const float unit = 1.0F / static_cast<float>(1U << digits);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::int32_t>(words[i] & mask);
    out[i] = math::fma(static_cast<float>(bits) * unit, range, from);
  }
}

void uniform_double(double* out, const std::uint32_t* words, std::int64_t count, double from, double range) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto high = static_cast<std::int64_t>(words[2 * i] & 0x1fffffU);
    out[i] = math::fma(static_cast<double>(high << 32 | words[2 * i + 1]) * 0x1p-53, range, from);
  }
}

void normal_float(float* values, std::int64_t blocks, float mean, float std) {
  constexpr auto kTwoPi = static_cast<float>(2 * std::numbers::pi);
  for (float* block = values; block != values + 16 * blocks; block += 16) {
    for (int i = 0; i < 8; ++i) {
      const float radius = math::sqrt(-2.0F * cephes_log(1.0F - block[i]));
      const SinCos direction = cephes_sincos(kTwoPi * block[i + 8]);
      block[i] = math::fma(radius * direction.cos, std, mean);
      block[i + 8] = math::fma(radius * direction.sin, std, mean);
    }
  }
}

}  // namespace

constinit const RandomBlocks random_blocks = {uniform_float, uniform_double, normal_float};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
