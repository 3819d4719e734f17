#include "kernels/moments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/histogram.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/moment_blocks.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/tile_reader.h"
#include "kernels/cpu/tiles.h"

namespace lectern::kernels {

void Moments::merge(const Moments& other) {
  const auto mine = static_cast<double>(finite), theirs = static_cast<double>(other.finite);
  if (other.finite > 0) {
    const double distance = other.mean - mean;
    const double all = mine + theirs;
    squares += other.squares + distance * distance * (mine / all * theirs);
    mean = finite == 0 ? other.mean : mean + distance * (theirs / all);
  }
  finite += other.finite;
  nan += other.nan;
  infinite += other.infinite;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  integer_min = std::min(integer_min, other.integer_min);
  integer_max = std::max(integer_max, other.integer_max);
}

}  // namespace lectern::kernels

namespace lectern::kernels::cpu {
namespace {

/// Consecutive tiles summed by one thread: the order of additions never depends on the threads.
constexpr std::int64_t kTilesOfPart = 64;

Moments block_moments(const void* block, Dtype compute, std::int64_t count) {
  if (compute == float32) return moment_blocks().floats(static_cast<const float*>(block), count);
  if (compute == float64) return moment_blocks().doubles(static_cast<const double*>(block), count);
  return moment_blocks().integers(static_cast<const std::int64_t*>(block), count);
}

std::int64_t part_count(const Tiling& tiling) {
  return (tiling.count() + kTilesOfPart - 1) / kTilesOfPart;
}

/// Walks over parts of the elements in parallel: visit(part, block, count) with blocks of the compute dtype.
/// Which part an element belongs to never depends on the threads.
template <typename Visit>
void visit_parts(const Tiling& tiling, const Array& array, const Visit& visit) {
  const std::int64_t tiles = tiling.count();
  const std::array<std::byte*, kMaxArrays> base{static_cast<std::byte*>(array.data)};
  parallel_ranges(part_count(tiling), tiling.geometry().numel, [&](std::int64_t begin, std::int64_t end) {
    TileReader<kMomentBlock> reader(tiling, 0, array.dtype, array.dtype);
    for (std::int64_t part = begin; part < end; ++part) {
      tiling.walk(base, part * kTilesOfPart, std::min(tiles, (part + 1) * kTilesOfPart),
                  [&](const Tile& tile) {
                    visit(static_cast<std::size_t>(part), reader.block(tile), tile.length * tile.rows);
                  });
    }
  });
}

template <typename T>
void count_elements(const void* block, std::int64_t count, double low, double high,
                    std::span<std::int64_t> bins) {
  const auto* const elements = static_cast<const T*>(block);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto element = static_cast<double>(elements[i]);
    if (std::isfinite(element)) ++bins[histogram_bin(element, low, high, bins.size())];
  }
}

}  // namespace

Moments moments(std::span<const std::int64_t> sizes, const Array& array) {
  const Tiling tiling(make_geometry(sizes, array), kMomentBlock, 64);
  if (tiling.geometry().numel == 0) return {};
  std::vector<Moments> partial(static_cast<std::size_t>(part_count(tiling)));
  visit_parts(tiling, array, [&](std::size_t part, const void* block, std::int64_t count) {
    partial[part].merge(block_moments(block, compute_dtype(array.dtype), count));
  });
  Moments result;
  for (const Moments& part : partial) result.merge(part);
  return result;
}

std::vector<std::int64_t> histogram(std::span<const std::int64_t> sizes, const Array& array, double low,
                                    double high, std::size_t bins) {
  std::vector<std::int64_t> result(bins);
  const Tiling tiling(make_geometry(sizes, array), kMomentBlock, 64);
  if (tiling.geometry().numel == 0) return result;
  std::vector<std::vector<std::int64_t>> partial(static_cast<std::size_t>(part_count(tiling)));
  const Dtype compute = compute_dtype(array.dtype);
  visit_parts(tiling, array, [&](std::size_t part, const void* block, std::int64_t count) {
    partial[part].resize(bins);
    if (compute == float32) return count_elements<float>(block, count, low, high, partial[part]);
    if (compute == float64) return count_elements<double>(block, count, low, high, partial[part]);
    count_elements<std::int64_t>(block, count, low, high, partial[part]);
  });
  for (const std::vector<std::int64_t>& part : partial)
    std::transform(part.begin(), part.end(), result.begin(), result.begin(), std::plus<>());
  return result;
}

}  // namespace lectern::kernels::cpu
