#pragma once

#include <cstdint>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/grid.h"
#include "kernels/matrix_tiles.h"
#include "kernels/vectorize.h"

namespace lectern::kernels::cuda {

/// A block's warps take every kTileWarps-th row of a tile; of such a row a lane has kQuads times four
/// neighbours.
inline constexpr int kQuad = 4, kTileWarps = kBlockThreads / kWarpThreads;
inline constexpr int kQuads = static_cast<int>(MatrixTiles::kColumns) / (kWarpThreads * kQuad);
static_assert(kQuads * kWarpThreads * kQuad == MatrixTiles::kColumns);

template <ComputeType C>
using Quad = Pack<C, kQuad>;

/// What a thread of a block has of a tile (kernels/matrix_tiles.h) of arrays whose elements are of type T:
/// all of a row is on its way before it looks at the first of them.
template <typename T>
struct TileShare {
  std::int64_t first, stride;  ///< where the tile begins in an array, and from a row to the next
  int rows, columns;           ///< of the tile
  int warp, lane;

  LECTERN_HD TileShare(const MatrixTiles& tiles, const MatrixTile& tile, int rank)
      : first(tiles.begin(tile, 0)),
        stride(tiles.columns),
        rows(static_cast<int>(tile.rows)),
        columns(static_cast<int>(tile.columns)),
        warp(rank / kWarpThreads),
        lane(rank % kWarpThreads) {}

  /// Of the first element of a quad, counted in the tile.
  LECTERN_HD int column(int q) const { return (q * kWarpThreads + lane) * kQuad; }

  /// Calls visit(row of the tile, where it begins in an array).
  template <typename Visit>
  LECTERN_HD void for_rows(const Visit& visit) const {
    LECTERN_ROLLED
    for (int r = warp; r < rows; r += kTileWarps) visit(r, first + r * stride);
  }
  /// Calls visit(q, i) for the elements of the quads, also for those that are not there.
  template <typename Visit>
  LECTERN_HD static void for_elements(const Visit& visit) {
    LECTERN_UNROLLED
    for (int q = 0; q < kQuads; ++q) {
      LECTERN_UNROLLED
      for (int i = 0; i < kQuad; ++i) visit(q, i);
    }
  }
  /// Those of the q-th quad of the row that begins at `begin`; others are 0.
  LECTERN_HD Pack<T, kQuad> quad(const void* array, std::int64_t begin, int q) const {
    const T* const from = static_cast<const T*>(array) + begin + column(q);
    Pack<T, kQuad> quad{};
    if (has_quads(array)) {
      if (column(q) < columns) quad = *reinterpret_cast<const Pack<T, kQuad>*>(from);
      return quad;
    }
    LECTERN_UNROLLED
    for (int i = 0; i < kQuad; ++i) {
      if (column(q) + i < columns) quad.value[i] = from[i];
    }
    return quad;
  }
  LECTERN_HD void set_quad(const Pack<T, kQuad>& quad, void* array, std::int64_t begin, int q) const {
    T* const to = static_cast<T*>(array) + begin + column(q);
    if (has_quads(array)) {
      if (column(q) < columns) *reinterpret_cast<Pack<T, kQuad>*>(to) = quad;
      return;
    }
    LECTERN_UNROLLED
    for (int i = 0; i < kQuad; ++i) {
      if (column(q) + i < columns) to[i] = quad.value[i];
    }
  }
  LECTERN_HD void read(Pack<T, kQuad> (&quads)[kQuads], const void* array, std::int64_t begin) const {
    LECTERN_UNROLLED
    for (int q = 0; q < kQuads; ++q) quads[q] = quad(array, begin, q);
  }

 private:
  LECTERN_HD bool has_quads(const void* array) const {
    return stride % kQuad == 0 && reinterpret_cast<std::uintptr_t>(array) % sizeof(Pack<T, kQuad>) == 0;
  }
};

}  // namespace lectern::kernels::cuda
