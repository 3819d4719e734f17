#include "kernels/gradient_norms.h"

#include <vector>

#include "kernels/cpu/array_chunks.h"
#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/optimizer_blocks.h"

namespace lectern::kernels {
namespace {

/// Calls visit(values, count, chunk) for the chunks of all arrays, in the compute type; stores them back if
/// kChange.
template <bool kChange, typename Visit>
void for_numbers(std::span<const Numbers> arrays, const Visit& visit) {
  for_chunks(arrays, [&] {
    return [&](const Numbers& of, std::int64_t begin, std::int64_t end, std::int64_t chunk) {
      dispatch_real_compute(of.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        BlockOf<T, kArrayChunk> block(of.dtype);
        visit(block.load(of.data, begin, end - begin), end - begin, chunk);
        if constexpr (kChange) block.store(end - begin);
      });
    };
  });
}

}  // namespace

double total_norm(TotalNorm kind, std::span<const Numbers> arrays) {
  std::int64_t chunks = 0;
  for (const Numbers& array : arrays) chunks += chunks_of(array.numel);
  std::vector<double> parts(static_cast<std::size_t>(chunks));
  for_numbers<false>(arrays, [&]<typename T>(T* numbers, std::int64_t count, std::int64_t chunk) {
    parts[static_cast<std::size_t>(chunk)] = optimizer_blocks().of<T>().norm_part(kind, numbers, count);
  });
  return optimizer_blocks().norm_of_parts(kind, parts.data(), chunks);
}

void scale(std::span<const Numbers> arrays, double factor) {
  for_numbers<true>(arrays, [&]<typename T>(T* numbers, std::int64_t count, std::int64_t) {
    optimizer_blocks().of<T>().scale(numbers, static_cast<T>(factor), count);
  });
}

}  // namespace lectern::kernels
