#include "kernels/gradient_norms.h"

#include <vector>

#include "kernels/cpu/array_chunks.h"
#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/optimizer_blocks.h"

namespace lectern::kernels::cpu {
namespace {

/// Calls visit(values, count, chunk) for the chunks of all arrays, in the compute type; stores them back if
/// kChange.
template <bool kChange, typename Visit>
void for_elements(std::span<const DenseArray> arrays, const Visit& visit) {
  for_chunks(arrays, [&] {
    return [&](const DenseArray& array, std::int64_t begin, std::int64_t end, std::int64_t chunk) {
      dispatch_real_compute(array.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        ConvertedBlock<T, kArrayChunk> block(array.dtype);
        visit(block.load(array.data, begin, end - begin), end - begin, chunk);
        if constexpr (kChange) block.store(end - begin);
      });
    };
  });
}

}  // namespace

void total_norm(TotalNorm kind, std::span<const DenseArray> arrays, void* total, Dtype dtype) {
  std::int64_t chunks = 0;
  for (const DenseArray& array : arrays) chunks += count_chunks(array.numel);
  std::vector<double> parts(static_cast<std::size_t>(chunks));
  for_elements<false>(arrays, [&]<typename T>(T* values, std::int64_t count, std::int64_t chunk) {
    parts[static_cast<std::size_t>(chunk)] = optimizer_blocks().get<T>().norm_part(kind, values, count);
  });
  const double norm = optimizer_blocks().total_norm(kind, parts.data(), chunks);
  convert_element(dtype, total, float64, &norm);
}

void clip(std::span<const DenseArray> arrays, double max_norm, const void* total, Dtype dtype) {
  double norm = 0;
  convert_element(float64, &norm, dtype, total);
  const double factor = clip_factor(norm, max_norm);
  if (factor == 1) return;
  for_elements<true>(arrays, [&]<typename T>(T* values, std::int64_t count, std::int64_t) {
    optimizer_blocks().get<T>().scale(values, static_cast<T>(factor), count);
  });
}

void clip_by_norm(TotalNorm kind, std::span<const DenseArray> arrays, double max_norm, void* total,
                  Dtype dtype) {
  total_norm(kind, arrays, total, dtype);
  clip(arrays, max_norm, total, dtype);
}

}  // namespace lectern::kernels::cpu
