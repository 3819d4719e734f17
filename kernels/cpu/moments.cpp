#include "kernels/moments.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

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

}  // namespace

Moments moments(std::span<const std::int64_t> sizes, const Array& array) {
  const Tiling tiling(make_geometry(sizes, array), kMomentBlock, 64);
  if (tiling.geometry().numel == 0) return {};
  const std::int64_t tiles = tiling.count();
  const std::int64_t parts = (tiles + kTilesOfPart - 1) / kTilesOfPart;
  std::vector<Moments> partial(static_cast<std::size_t>(parts));
  const std::array<std::byte*, kMaxArrays> base{static_cast<std::byte*>(array.data)};
  parallel_ranges(parts, tiling.geometry().numel, [&](std::int64_t begin, std::int64_t end) {
    TileReader<kMomentBlock> reader(tiling, 0, array.dtype, array.dtype);
    for (std::int64_t part = begin; part < end; ++part) {
      tiling.walk(
          base, part * kTilesOfPart, std::min(tiles, (part + 1) * kTilesOfPart), [&](const Tile& tile) {
            partial[static_cast<std::size_t>(part)].merge(
                block_moments(reader.block(tile), compute_dtype(array.dtype), tile.length * tile.rows));
          });
    }
  });
  Moments result;
  for (const Moments& part : partial) result.merge(part);
  return result;
}

}  // namespace lectern::kernels::cpu
