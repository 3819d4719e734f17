#include "kernels/cuda/random_fill.h"
#include "kernels/random.h"
#include "kernels/random_ranges.h"

namespace lectern::kernels::cuda {
namespace {

/// A `range` of 0 means all values of that width.
void fill_words(const RandomArray& array, bool wide, std::uint64_t range, std::int64_t base,
                GeneratorState& state) {
  if (wide) {
    fill(array, PhiloxIntegers<std::uint64_t>{range, base}, state.philox);
  } else {
    fill(array, PhiloxIntegers<std::uint32_t>{static_cast<std::uint32_t>(range), base}, state.philox);
  }
}

}  // namespace

void fill_integers(const RandomArray& array, std::uint64_t range, std::int64_t base, GeneratorState& state) {
  fill_words(array, range_takes_64_bits(array.dtype, range), range, base, state);
}

void fill_all_integers(const RandomArray& array, GeneratorState& state) {
  fill_words(array, true, 0, 0, state);
}

void fill_natural(const RandomArray& array, GeneratorState& state) {
  fill_words(array, natural_takes_64_bits(array.dtype), natural_range(array.dtype), 0, state);
}

}  // namespace lectern::kernels::cuda
