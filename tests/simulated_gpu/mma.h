#pragma once

#include <cstddef>
#include <cstdint>

#include "base/small_float.h"
#include "simulated_gpu/shared_memory.h"
#include "simulated_gpu/undefined.h"

// What kernels/cuda/mma.h describes, on the host: the lanes of a warp are fibers, which exchange values.

namespace lectern::kernels::cuda {

struct Words {
  std::uint32_t at[4];
};

}  // namespace lectern::kernels::cuda

namespace lectern::test {

using kernels::cuda::Words;

/// Before the threads of a block start.
void begin_tiles(int threads, int shared_bytes);

/// How often rows that ldmatrix reads at once were in the same banks, for tests.
inline std::int64_t bank_conflicts = 0;

float exchange_between_lanes(float value, int mask);
Words read_matrices(SharedAddress row, bool transposed);

/// Of which the first 4 are the left operand, 2 the right one; widen: the float that 16 bits are.
void multiply_fragments(float (&sums)[4], const std::uint32_t (&words)[6], float (*widen)(std::uint16_t));

}  // namespace lectern::test

namespace lectern::kernels::cuda {

inline Words load_matrices(SharedAddress row) {
  return test::read_matrices(row, false);
}
inline Words load_transposed_matrices(SharedAddress row) {
  return test::read_matrices(row, true);
}

template <typename T>
void multiply_add(float (&sums)[4], const Words& a, std::uint32_t b0, std::uint32_t b1) {
  test::multiply_fragments(sums, {a.at[0], a.at[1], a.at[2], a.at[3], b0, b1},
                           [](std::uint16_t bits) { return static_cast<float>(T::from_bits(bits)); });
}

inline float exchange(float value, int mask) {
  return test::exchange_between_lanes(value, mask);
}
inline void sync_warp() {
  test::sync_warp();
}

template <int kBytes>
void copy_async(SharedAddress to, const void* from, bool present) {
  test::copy_later(to, from, kBytes, present);
}
inline void commit_copies() {
  test::commit();
}
template <int kGroups>
void wait_for_copies() {
  test::wait_for_all_but(kGroups);
}

template <typename T>
T load_shared(SharedAddress from) {
  T value;
  test::read_shared(from, &value, sizeof(T));
  return value;
}
template <typename T>
void store_shared(SharedAddress to, const T& value) {
  test::write_shared(to, &value, sizeof(T));
}

inline void add_to_global(float* to, const float (&values)[4]) {
  test::check_alignment(to, sizeof values);
  for (int i = 0; i < 4; ++i) to[i] += values[i];
}

template <typename T>
std::uint32_t pack(float low, float high) {
  return static_cast<std::uint32_t>(T(low).bits) | static_cast<std::uint32_t>(T(high).bits) << 16;
}

inline float exp2_fast(float x) {
  return __builtin_exp2f(x);
}
inline float reciprocal_fast(float x) {
  return 1 / x;
}
inline float log2_fast(float x) {
  return __builtin_log2f(x);
}

}  // namespace lectern::kernels::cuda
