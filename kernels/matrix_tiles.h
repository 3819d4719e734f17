#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace lectern::kernels {

/// A block of rows and columns of one of several matrices.
struct MatrixTile {
  std::int64_t matrix, row_tile, column_tile;
  std::int64_t first_row, first_column, rows, columns;
};

/// Contiguous matrices of one shape, and the tiles that they are divided into: each of kRows rows and
/// kColumns columns, or what is left of them.
struct MatrixTiles {
  static constexpr std::int64_t kRows = 64, kColumns = 512;

  std::int64_t matrices, rows, columns;

  LECTERN_HD std::int64_t numel() const { return matrices * rows * columns; }
  LECTERN_HD std::int64_t row_tiles() const { return (rows + kRows - 1) / kRows; }
  LECTERN_HD std::int64_t column_tiles() const { return (columns + kColumns - 1) / kColumns; }
  LECTERN_HD std::int64_t count() const { return matrices * row_tiles() * column_tiles(); }

  LECTERN_HD MatrixTile operator[](std::int64_t tile) const {
    const std::int64_t column_tile = tile % column_tiles(), band = tile / column_tiles();
    const std::int64_t row_tile = band % row_tiles(), matrix = band / row_tiles();
    const std::int64_t row = row_tile * kRows, column = column_tile * kColumns;
    return {.matrix = matrix,
            .row_tile = row_tile,
            .column_tile = column_tile,
            .first_row = row,
            .first_column = column,
            .rows = rows - row < kRows ? rows - row : kRows,
            .columns = columns - column < kColumns ? columns - column : kColumns};
  }
  /// Where a row of a tile begins, counted in elements.
  LECTERN_HD std::int64_t begin(const MatrixTile& tile, std::int64_t row) const {
    return (tile.matrix * rows + tile.first_row + row) * columns + tile.first_column;
  }
};

}  // namespace lectern::kernels
