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
  const MatrixTiles& tiles;
  const MatrixTile& tile;
  int warp, lane;

  LECTERN_HD TileShare(const MatrixTiles& all, const MatrixTile& one, int rank)
      : tiles(all), tile(one), warp(rank / kWarpThreads), lane(rank % kWarpThreads) {}

  /// Of the first element of a quad, counted in the tile.
  LECTERN_HD int column(int q) const { return (q * kWarpThreads + lane) * kQuad; }

  /// Calls visit(row of the tile, where it begins in an array).
  template <typename Visit>
  LECTERN_HD void for_rows(const Visit& visit) const {
    LECTERN_ROLLED
    for (std::int64_t r = warp; r < tile.rows; r += kTileWarps) visit(r, tiles.begin(tile, r));
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
  /// The elements of a row that begins at `begin`; others are 0.
  LECTERN_HD void read(Pack<T, kQuad> (&quads)[kQuads], const void* array, std::int64_t begin) const {
    const T* const from = static_cast<const T*>(array) + begin;
    const bool by_quads = has_quads(array);
    LECTERN_UNROLLED
    for (int q = 0; q < kQuads; ++q) {
      quads[q] = {};
      if (by_quads) {
        if (column(q) < tile.columns) quads[q] = *reinterpret_cast<const Pack<T, kQuad>*>(from + column(q));
        continue;
      }
      LECTERN_UNROLLED
      for (int i = 0; i < kQuad; ++i) {
        if (column(q) + i < tile.columns) quads[q].value[i] = from[column(q) + i];
      }
    }
  }
  LECTERN_HD void write(const Pack<T, kQuad> (&quads)[kQuads], void* array, std::int64_t begin) const {
    T* const to = static_cast<T*>(array) + begin;
    const bool by_quads = has_quads(array);
    LECTERN_UNROLLED
    for (int q = 0; q < kQuads; ++q) {
      if (by_quads) {
        if (column(q) < tile.columns) *reinterpret_cast<Pack<T, kQuad>*>(to + column(q)) = quads[q];
        continue;
      }
      LECTERN_UNROLLED
      for (int i = 0; i < kQuad; ++i) {
        if (column(q) + i < tile.columns) to[column(q) + i] = quads[q].value[i];
      }
    }
  }

 private:
  LECTERN_HD bool has_quads(const void* array) const {
    return tiles.columns % kQuad == 0 &&
           reinterpret_cast<std::uintptr_t>(array) % sizeof(Pack<T, kQuad>) == 0;
  }
};

}  // namespace lectern::kernels::cuda
