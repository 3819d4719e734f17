#include "kernels/moments.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "kernels/cpu/conversions.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/moment_blocks.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/planes.h"
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

class TileReader {
 public:
  TileReader(const Tiling& tiling, Dtype dtype)
      : element_(tiling.geometry().strides[0][0]),
        row_(tiling.geometry().strides[0][1]),
        size_(element_size(dtype)),
        compute_(compute_dtype(dtype)),
        conversion_(conversions()(dtype, compute_)) {}

  Moments operator()(const Tile& tile) {
    const std::int64_t count = tile.length * tile.rows;
    const std::byte* block = tile.at[0];
    if (element_ != size_ || (tile.rows > 1 && row_ != tile.length * size_)) {
      plane_kernels().copy_of(size_)({packed_, size_, tile.length * size_}, {block, element_, row_},
                                     tile.length, tile.rows);
      block = packed_;
    }
    if (conversion_ != nullptr) {
      conversion_(converted_, block, count);
      block = converted_;
    }
    if (compute_ == float32) return moment_blocks().floats(reinterpret_cast<const float*>(block), count);
    if (compute_ == float64) return moment_blocks().doubles(reinterpret_cast<const double*>(block), count);
    return moment_blocks().integers(reinterpret_cast<const std::int64_t*>(block), count);
  }

 private:
  std::int64_t element_;
  std::int64_t row_;
  std::int64_t size_;
  Dtype compute_;
  Conversion conversion_;
  alignas(64) std::byte packed_[kMomentBlock * 8];
  alignas(64) std::byte converted_[kMomentBlock * 8];
};

}  // namespace

Moments moments(std::span<const std::int64_t> sizes, const Array& array) {
  const ArrayStrides strides{array.strides, element_size(array.dtype)};
  const Tiling tiling(make_geometry(sizes, {&strides, 1}), kMomentBlock, 64);
  if (tiling.geometry().numel == 0) return {};
  const std::int64_t tiles = tiling.count();
  const std::int64_t parts = (tiles + kTilesOfPart - 1) / kTilesOfPart;
  std::vector<Moments> of_part(static_cast<std::size_t>(parts));
  const std::array<std::byte*, kMaxArrays> base{static_cast<std::byte*>(array.data)};
  parallel_ranges(parts, tiling.geometry().numel, [&](std::int64_t begin, std::int64_t end) {
    TileReader read(tiling, array.dtype);
    for (std::int64_t part = begin; part < end; ++part) {
      tiling.walk(base, part * kTilesOfPart, std::min(tiles, (part + 1) * kTilesOfPart),
                  [&](const Tile& tile) { of_part[static_cast<std::size_t>(part)].merge(read(tile)); });
    }
  });
  Moments result;
  for (const Moments& part : of_part) result.merge(part);
  return result;
}

}  // namespace lectern::kernels::cpu
