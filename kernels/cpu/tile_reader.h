#pragma once

#include <cstddef>
#include <cstdint>

#include "base/dtype.h"
#include "kernels/cpu/conversions.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/planes.h"
#include "kernels/cpu/tiles.h"

namespace lectern::kernels::cpu {

/// Reads the tiles of an array, of up to kCapacity elements, as blocks of the compute type: in place if
/// possible, else through scratch.
template <std::int64_t kCapacity>
class TileReader {
 public:
  /// Elements are rounded to `common` first.
  TileReader(const Tiling& tiling, std::size_t array, Dtype dtype, Dtype common)
      : array_(array),
        element_(tiling.geometry().strides[array][0]),
        row_(tiling.geometry().strides[array][1]),
        size_(element_size(dtype)),
        pack_(plane_kernels().copy_kernel(size_)),
        to_common_(conversions()(dtype, common)),
        to_compute_(conversions()(common, compute_dtype(common))) {}

  /// Whether the tile is one element, repeated.
  bool repeats(const Tile& tile) const { return element_ == 0 && (tile.rows == 1 || row_ == 0); }

  const void* block(const Tile& tile) {
    const ConstPlane plane{tile.at[array_], element_, row_};
    const std::int64_t count = tile.length * tile.rows;
    if (is_packed(plane, tile.length, tile.rows, size_)) return converted(plane.data, count);
    const bool held = plane.data == held_ && tile.length == held_length_ && tile.rows == held_rows_;
    if (held) return block_;
    pack_({scratch_[0].bytes, size_, tile.length * size_}, plane, tile.length, tile.rows);
    held_ = row_ == 0 || tile.rows == 1 ? plane.data : nullptr;
    held_length_ = tile.length;
    held_rows_ = tile.rows;
    return block_ = converted(scratch_[0].bytes, count);
  }
  /// For a tile that repeats.
  const void* element(const Tile& tile) { return converted(tile.at[array_], 1); }

 private:
  const std::byte* converted(const std::byte* from, std::int64_t count) {
    for (const Conversion conversion : {to_common_, to_compute_}) {
      if (conversion == nullptr) continue;
      std::byte* to = scratch_[from == scratch_[0].bytes ? 1 : 0].bytes;
      conversion(to, from, count);
      from = to;
    }
    return from;
  }

  std::size_t array_;
  std::int64_t element_;
  std::int64_t row_;
  std::int64_t size_;
  PlaneCopy pack_;
  Conversion to_common_;
  Conversion to_compute_;
  const std::byte* block_ = nullptr;  ///< of the tile at held_, which other tiles may repeat
  const std::byte* held_ = nullptr;
  std::int64_t held_length_ = 0;
  std::int64_t held_rows_ = 0;
  struct {
    alignas(64) std::byte bytes[kCapacity * 8];
  } scratch_[2];
};

}  // namespace lectern::kernels::cpu
