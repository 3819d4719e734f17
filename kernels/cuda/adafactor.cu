#include <vector>

#include "kernels/adafactor.h"
#include "kernels/adafactor_step.h"
#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch_phases.h"
#include "kernels/cuda/line_access.h"
#include "kernels/cuda/row_packs.h"
#include "kernels/cuda/table.h"
#include "kernels/gradient_norms.h"

namespace lectern::kernels::cuda {
namespace {

/// A parameter, its tiles and, after them, those of its lines: of rows, then of columns, of each matrix.
struct AdafactorRow {
  AdafactorUpdate arrays;
  AdafactorSums sums;
  AdafactorStep step;
  std::int64_t first_tile, first_line;

  LECTERN_HD std::int64_t matrix_lines() const {
    return arrays.tiles.row_tiles() + arrays.tiles.column_tiles();
  }
};

template <typename Group>
LECTERN_HD double total(const Group& group, double* parts, std::int64_t count) {
  const StridedRow<double> row{reinterpret_cast<std::byte*>(parts), sizeof(double), float64};
  return norm_from_parts(group, count, TotalNorm::one, row);
}

/// Element `i` of a parameter or a gradient, whose dtype is computed in C: looked up for each, since they
/// wait for sums in double anyway.
template <RealComputeType C>
LECTERN_HD C element(const void* array, std::int64_t i, Dtype dtype) {
  if constexpr (std::is_same_v<C, double>) {
    return static_cast<const double*>(array)[i];
  } else {
    return read_pack<1>(static_cast<const std::byte*>(array) + i * (dtype == float32 ? 4 : 2), dtype)
        .value[0];
  }
}
template <RealComputeType C>
LECTERN_HD void set_element(void* array, std::int64_t i, Dtype dtype, C value) {
  if constexpr (std::is_same_v<C, double>) {
    static_cast<double*>(array)[i] = value;
  } else {
    write_pack<1>(static_cast<std::byte*>(array) + i * (dtype == float32 ? 4 : 2), dtype, {{value}});
  }
}

struct AdafactorTable {
  AdafactorRow* rows;
  std::int64_t count;
  GradScale scale;
  Dtype dtype;  ///< of parameters and gradients

  /// Calls visit(parameter, index of the tile in it), unless the step is skipped.
  template <typename Visit>
  LECTERN_HD void visit_tile(std::int64_t tile, const Visit& visit) const {
    if (scale.skips()) return;
    const auto first_tile = [this](std::int64_t i) { return rows[i].first_tile; };
    const AdafactorRow& row = rows[find_array(count, tile, first_tile)];
    visit(row, tile - row.first_tile);
  }
  LECTERN_HD const AdafactorRow& line_row(std::int64_t line) const {
    return rows[find_array(count, line, [this](std::int64_t i) { return rows[i].first_line; })];
  }
  LECTERN_HD double factor(const AdafactorRow& row) const {
    return row.arrays.factor * static_cast<double>(scale.factor());
  }
};

/// Increments step counts that are on the GPU.
struct CountSteps {
  AdafactorTable table;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    const std::int64_t i = index * group.size() + group.rank();
    if (i >= table.count || table.scale.skips()) return;
    AdafactorRow& row = table.rows[i];
    if (row.arrays.count.on_gpu == nullptr) return;
    *row.arrays.count.on_gpu += 1;
    row.step = AdafactorStep(row.arrays.settings, static_cast<double>(*row.arrays.count.on_gpu));
  }
};

/// Columns of a tile per thread.
constexpr int kThreadColumns = static_cast<int>(MatrixTiles::kColumns) / kBlockThreads;

/// Calls visit(k, column) with the k-th column of a thread, for all of them.
template <typename Group, typename Visit>
LECTERN_HD void for_columns(const Group& group, std::int64_t columns, const Visit& visit) {
  for (int k = 0; k < kThreadColumns; ++k) {
    const std::int64_t column = group.rank() + static_cast<std::int64_t>(k) * group.size();
    if (column < columns) visit(k, column);
  }
}

template <RealComputeType C>
struct AddSquares {
  AdafactorTable table;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    table.visit_tile(index, [&](const AdafactorRow& row, std::int64_t tile) { add(group, row, tile); });
  }

 private:
  template <typename Group>
  LECTERN_HD void add(const Group& group, const AdafactorRow& row, std::int64_t index) const {
    const AdafactorUpdate& arrays = row.arrays;
    const MatrixTile tile = arrays.tiles[index];
    const C factor = static_cast<C>(table.factor(row));
    C column_sums[kThreadColumns] = {};
    double parameter_sum = 0;
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      const std::int64_t begin = arrays.tiles.begin(tile, r);
      double row_sum = 0;
      for_columns(group, tile.columns, [&](int k, std::int64_t column) {
        const C grad = factor * element<C>(arrays.grad, begin + column, table.dtype);
        column_sums[k] += grad * grad;
        row_sum += static_cast<double>(grad) * static_cast<double>(grad);
        if (!arrays.settings.scale_parameter) return;
        const auto p = static_cast<double>(element<C>(arrays.parameter, begin + column, table.dtype));
        parameter_sum += p * p;
      });
      if (arrays.rows == nullptr) continue;
      row_sum = group.reduce(row_sum, Add{});
      if (group.rank() == 0)
        row.sums.row_squares(tile.matrix, tile.first_row + r)[tile.column_tile] = row_sum;
    }
    double* const columns = row.sums.column_squares(tile.matrix, tile.row_tile) + tile.first_column;
    for_columns(group, tile.columns,
                [&](int k, std::int64_t column) { columns[column] = static_cast<double>(column_sums[k]); });
    parameter_sum = group.reduce(parameter_sum, Add{});
    if (group.rank() == 0) row.sums.parameter_squares()[index] = parameter_sum;
  }
};

template <RealComputeType C>
struct AverageLines {
  AdafactorTable table;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    if (table.scale.skips()) return;
    const AdafactorRow& row = table.line_row(index);
    const std::int64_t position = index - row.first_line;
    const std::int64_t matrix = position / row.matrix_lines();
    const std::int64_t line = position % row.matrix_lines(), row_tiles = row.arrays.tiles.row_tiles();
    if (line >= row_tiles) {
      average_columns(group, row, matrix, (line - row_tiles) * MatrixTiles::kColumns);
    } else if (row.arrays.rows != nullptr) {
      const double kept = group.reduce(averaged_row(row, matrix, line * MatrixTiles::kRows + group.rank(),
                                                    (line + 1) * MatrixTiles::kRows),
                                       Add{});
      if (group.rank() == 0) row.sums.row_statistics(matrix)[line] = kept;
    }
  }

 private:
  static_assert(MatrixTiles::kRows <= kBlockThreads);

  /// The row's average; 0 for a row past the end.
  LECTERN_HD static double averaged_row(const AdafactorRow& row, std::int64_t matrix, std::int64_t at,
                                        std::int64_t end) {
    const MatrixTiles& tiles = row.arrays.tiles;
    if (at >= end || at >= tiles.rows) return 0;
    double sum = 0;
    for (std::int64_t t = 0; t < tiles.column_tiles(); ++t) sum += row.sums.row_squares(matrix, at)[t];
    return average(row, static_cast<C*>(row.arrays.rows)[matrix * tiles.rows + at], sum, tiles.columns);
  }

  template <typename Group>
  LECTERN_HD static void average_columns(const Group& group, const AdafactorRow& row, std::int64_t matrix,
                                         std::int64_t first) {
    const MatrixTiles& tiles = row.arrays.tiles;
    for_columns(group, tiles.columns - first, [&](int, std::int64_t offset) {
      const std::int64_t column = first + offset;
      double sum = 0;
      for (std::int64_t t = 0; t < tiles.row_tiles(); ++t) sum += row.sums.column_squares(matrix, t)[column];
      average(row, static_cast<C*>(row.arrays.columns)[matrix * tiles.columns + column], sum, tiles.rows);
    });
  }

  LECTERN_HD static double average(const AdafactorRow& row, C& kept, double sum, std::int64_t count) {
    const double mean = sum / static_cast<double>(count);
    kept = static_cast<C>(row.step.average(static_cast<double>(kept), mean, row.arrays.settings));
    return static_cast<double>(kept);
  }
};

/// Calls visit(position, update) for the elements of a tile that are a thread's.
template <RealComputeType C, typename Group, typename Visit>
LECTERN_HD void for_updates(const Group& group, const AdafactorTable& table, const AdafactorRow& row,
                            const MatrixTile& tile, const Visit& visit) {
  const AdafactorUpdate& arrays = row.arrays;
  const auto factor = static_cast<C>(table.factor(row));
  C mean = 1, roots[kThreadColumns] = {};
  if (arrays.rows != nullptr) {
    const double kept = total(group, row.sums.row_statistics(tile.matrix), arrays.tiles.row_tiles());
    mean = static_cast<C>(kept / static_cast<double>(arrays.tiles.rows));
  }
  const C* const columns = static_cast<const C*>(arrays.columns) + tile.matrix * arrays.tiles.columns;
  for_columns(group, tile.columns, [&](int k, std::int64_t column) {
    roots[k] = inverse_root(columns[tile.first_column + column]);
  });
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const std::int64_t begin = arrays.tiles.begin(tile, r),
                       at = tile.matrix * arrays.tiles.rows + tile.first_row + r;
    const C row_factor = arrays.rows == nullptr
                             ? factor
                             : factor * inverse_root(static_cast<const C*>(arrays.rows)[at] / mean);
    for_columns(group, tile.columns, [&](int k, std::int64_t column) {
      const C grad = element<C>(arrays.grad, begin + column, table.dtype);
      visit(begin + column, row_factor * grad * roots[k]);
    });
  }
}

template <RealComputeType C>
struct AddUpdates {
  AdafactorTable table;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    table.visit_tile(index, [&](const AdafactorRow& row, std::int64_t tile) {
      double squares = 0;
      for_updates<C>(group, table, row, row.arrays.tiles[tile], [&](std::int64_t, auto delta) {
        squares += static_cast<double>(delta) * static_cast<double>(delta);
      });
      squares = group.reduce(squares, Add{});
      if (group.rank() == 0) row.sums.update_squares()[tile] = squares;
    });
  }
};

template <RealComputeType C>
struct ChangeParameters {
  AdafactorTable table;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    table.visit_tile(index, [&](const AdafactorRow& row, std::int64_t tile) { change(group, row, tile); });
  }

 private:
  template <typename Group>
  LECTERN_HD void change(const Group& group, const AdafactorRow& row, std::int64_t tile) const {
    const AdafactorUpdate& arrays = row.arrays;
    const double parameter_sum = total(group, row.sums.parameter_squares(), arrays.tiles.count());
    const double update_sum = total(group, row.sums.update_squares(), arrays.tiles.count());
    const AdafactorChange<C> changed(arrays.settings, row.step, parameter_sum, update_sum,
                                     static_cast<double>(arrays.tiles.numel()));
    for_updates<C>(group, table, row, arrays.tiles[tile], [&](std::int64_t at, C delta) {
      const C before = element<C>(arrays.parameter, at, table.dtype);
      C* const updates = static_cast<C*>(arrays.updates);
      set_element<C>(arrays.parameter, at, table.dtype,
                     updates == nullptr ? changed(before, delta) : changed(before, delta, updates[at]));
    });
  }
};

template <RealComputeType C>
void launch_step(Dtype dtype, std::span<const AdafactorUpdate> updates, const GradScale& scale) {
  std::int64_t count = 0;
  for (const AdafactorUpdate& arrays : updates) count += AdafactorSums::count(arrays.tiles);
  const Scratch memory(static_cast<std::size_t>(count) * sizeof(double));

  std::vector<AdafactorRow> rows;
  std::int64_t tiles = 0, lines = 0;
  auto* sums = static_cast<double*>(memory.data());
  for (const AdafactorUpdate& arrays : updates) {
    rows.push_back({arrays, {arrays.tiles, sums}, {arrays.settings, arrays.count.step}, tiles, lines});
    sums += AdafactorSums::count(arrays.tiles);
    tiles += arrays.tiles.count();
    lines += arrays.tiles.matrices * rows.back().matrix_lines();
  }
  const Table<AdafactorRow> on_gpu(rows);
  const AdafactorTable table{on_gpu.rows(), on_gpu.count(), scale, dtype};
  launch_phases(Phase{blocks_for(table.count), CountSteps{table}}, Phase{tiles, AddSquares<C>{table}},
                Phase{lines, AverageLines<C>{table}}, Phase{tiles, AddUpdates<C>{table}},
                Phase{tiles, ChangeParameters<C>{table}});
}

}  // namespace

void adafactor(Dtype dtype, std::span<const AdafactorUpdate> updates, const GradScale& scale) {
  if (updates.empty()) return;
  dispatch_real_compute(dtype,
                        [&]<typename C>(std::type_identity<C>) { launch_step<C>(dtype, updates, scale); });
}

}  // namespace lectern::kernels::cuda
