#include <vector>

#include "kernels/adafactor.h"
#include "kernels/adafactor_step.h"
#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch_phases.h"
#include "kernels/cuda/line_access.h"
#include "kernels/cuda/table.h"
#include "kernels/cuda/tile_share.h"
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

struct AdafactorTable {
  AdafactorRow* rows;
  std::int64_t count;
  GradScale scale;

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

template <typename T>
struct AddSquares {
  using C = Compute<T>;
  using Mine = TileShare<T>;
  AdafactorTable table;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    table.visit_tile(index, [&](const AdafactorRow& row, std::int64_t tile) { add(group, row, tile); });
  }

 private:
  /// What the warps have of each column; before it, what the lanes have of each row, in lines one longer, so
  /// that neither way of reading has two threads at one bank.
  struct Shared {
    static constexpr int kPitch = kWarpThreads + 1;
    alignas(Quad<C>) C at[kTileWarps * MatrixTiles::kColumns];
    static_assert(MatrixTiles::kRows * kPitch <= kTileWarps * MatrixTiles::kColumns);
  };

  template <typename Group>
  LECTERN_HD void add(const Group& group, const AdafactorRow& row, std::int64_t index) const {
    const AdafactorUpdate& arrays = row.arrays;
    const MatrixTile tile = arrays.tiles[index];
    const Mine mine(arrays.tiles, tile, group.rank());
    const C factor = static_cast<C>(table.factor(row));
    auto& shared = group.template shared<Shared>();
    Quad<C> column_sums[kQuads] = {};
    double parameter_sum = 0;
    mine.for_rows([&](int r, std::int64_t begin) {
      Pack<T, kQuad> grads[kQuads], parameters[kQuads];
      mine.read(grads, arrays.grad, begin);
      if (arrays.settings.scale_parameter) mine.read(parameters, arrays.parameter, begin);
      C row_sum = 0, parameters_sum = 0;
      mine.for_elements([&](int q, int i) {
        const C grad = factor * static_cast<C>(grads[q].value[i]), square = grad * grad;
        column_sums[q].value[i] += square;
        row_sum += square;
        if (!arrays.settings.scale_parameter) return;
        const C parameter = static_cast<C>(parameters[q].value[i]);
        parameters_sum += parameter * parameter;
      });
      parameter_sum += static_cast<double>(parameters_sum);
      if (arrays.rows != nullptr) shared.at[r * Shared::kPitch + mine.lane] = row_sum;
    });
    if (arrays.rows != nullptr) {
      group.sync();
      for (std::int64_t r = group.rank(); r < tile.rows; r += group.size()) {
        row.sums.row_squares(tile.matrix, tile.first_row + r)[tile.column_tile] =
            sum_of(shared.at + r * Shared::kPitch, kWarpThreads, 1);
      }
    }
    group.sync();
    for (int q = 0; q < kQuads; ++q) {
      *reinterpret_cast<Quad<C>*>(shared.at + mine.warp * MatrixTiles::kColumns + mine.column(q)) =
          column_sums[q];
    }
    group.sync();
    double* const columns = row.sums.column_squares(tile.matrix, tile.row_tile) + tile.first_column;
    for (std::int64_t column = group.rank(); column < tile.columns; column += group.size()) {
      columns[column] = sum_of(shared.at + column, kTileWarps, MatrixTiles::kColumns);
    }
    parameter_sum = group.reduce(parameter_sum, Add{});
    if (group.rank() == 0) row.sums.parameter_squares()[index] = parameter_sum;
  }

  LECTERN_HD static double sum_of(const C* values, int count, std::int64_t step) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += static_cast<double>(values[i * step]);
    return sum;
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
    const std::int64_t past = first + MatrixTiles::kColumns;
    const std::int64_t end = past < tiles.columns ? past : tiles.columns;
    for (std::int64_t column = first + group.rank(); column < end; column += group.size()) {
      average(row, static_cast<C*>(row.arrays.columns)[matrix * tiles.columns + column],
              sum_of_tiles(row.sums.column_squares(matrix, 0) + column, tiles), tiles.rows);
    }
  }

  /// Of a column. Several are on their way at once.
  LECTERN_HD static double sum_of_tiles(const double* first, const MatrixTiles& tiles) {
    constexpr int kAhead = 8;
    double sum = 0;
    for (std::int64_t t = 0; t < tiles.row_tiles(); t += kAhead) {
      double squares[kAhead];
      LECTERN_UNROLLED
      for (int a = 0; a < kAhead; ++a) {
        squares[a] = t + a < tiles.row_tiles() ? first[(t + a) * tiles.columns] : 0;
      }
      LECTERN_UNROLLED
      for (int a = 0; a < kAhead; ++a) sum += squares[a];
    }
    return sum;
  }

  LECTERN_HD static double average(const AdafactorRow& row, C& kept, double sum, std::int64_t count) {
    const double mean = sum / static_cast<double>(count);
    kept = static_cast<C>(row.step.average(static_cast<double>(kept), mean, row.arrays.settings));
    return static_cast<double>(kept);
  }
};

/// How the updates of a tile's elements are made of their gradients.
template <typename T>
class TileUpdates {
 public:
  using C = Compute<T>;

  template <typename Group>
  LECTERN_HD TileUpdates(const Group& group, const AdafactorTable& table, const AdafactorRow& row,
                         const MatrixTile& tile)
      : row_factors_(group.template shared<Shared>().row_factors) {
    const AdafactorUpdate& arrays = row.arrays;
    const MatrixTiles& tiles = arrays.tiles;
    const TileShare<C> mine(tiles, tile, group.rank());
    mine.read(roots_, arrays.columns, tile.matrix * tiles.columns + tile.first_column);
    mine.for_elements([&](int q, int i) {
      roots_[q].value[i] = mine.column(q) + i < tile.columns ? inverse_root(roots_[q].value[i]) : C(0);
    });
    const auto factor = static_cast<C>(table.factor(row));
    C mean = 1;
    if (arrays.rows != nullptr) {
      const double kept = total(group, row.sums.row_statistics(tile.matrix), tiles.row_tiles());
      mean = static_cast<C>(kept / static_cast<double>(tiles.rows));
    }
    group.sync();  // the tile before this one is done
    const C* const rows = static_cast<const C*>(arrays.rows) + tile.matrix * tiles.rows + tile.first_row;
    for (std::int64_t r = group.rank(); r < tile.rows; r += group.size()) {
      row_factors_[r] = arrays.rows == nullptr ? factor : factor * inverse_root(rows[r] / mean);
    }
    group.sync();
  }

  /// Of the thread's element `i` of a quad, whose gradient it is.
  LECTERN_HD C operator()(int r, int q, int i, T grad) const {
    return row_factors_[r] * static_cast<C>(grad) * roots_[q].value[i];
  }

 private:
  struct Shared {
    C row_factors[MatrixTiles::kRows];
  };
  C* row_factors_;
  Quad<C> roots_[kQuads];
};

template <typename T>
struct AddUpdates {
  using C = Compute<T>;
  AdafactorTable table;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    table.visit_tile(index, [&](const AdafactorRow& row, std::int64_t number) {
      const MatrixTile tile = row.arrays.tiles[number];
      const TileShare<T> mine(row.arrays.tiles, tile, group.rank());
      const TileUpdates<T> updates(group, table, row, tile);
      double squares = 0;
      mine.for_rows([&](int r, std::int64_t begin) {
        Pack<T, kQuad> grads[kQuads];
        mine.read(grads, row.arrays.grad, begin);
        C row_squares = 0;
        mine.for_elements([&](int q, int i) {
          const C delta = updates(r, q, i, grads[q].value[i]);
          row_squares += delta * delta;
        });
        squares += static_cast<double>(row_squares);
      });
      squares = group.reduce(squares, Add{});
      if (group.rank() == 0) row.sums.update_squares()[number] = squares;
    });
  }
};

template <typename T>
struct ChangeParameters {
  using C = Compute<T>;
  AdafactorTable table;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    table.visit_tile(index, [&](const AdafactorRow& row, std::int64_t tile) { change(group, row, tile); });
  }

 private:
  template <typename Group>
  LECTERN_HD void change(const Group& group, const AdafactorRow& row, std::int64_t number) const {
    const AdafactorUpdate& arrays = row.arrays;
    const double parameter_sum = total(group, row.sums.parameter_squares(), arrays.tiles.count());
    const double update_sum = total(group, row.sums.update_squares(), arrays.tiles.count());
    const AdafactorChange<C> changed(arrays.settings, row.step, parameter_sum, update_sum,
                                     static_cast<double>(arrays.tiles.numel()));
    const MatrixTile tile = arrays.tiles[number];
    const TileShare<T> mine(arrays.tiles, tile, group.rank());
    const TileShare<C> mine_averaged(arrays.tiles, tile, group.rank());
    const TileUpdates<T> updates(group, table, row, tile);
    void *const parameter = arrays.parameter, *const averaged = arrays.updates;
    mine.for_rows([&](int r, std::int64_t begin) {
      Pack<T, kQuad> grads[kQuads], parameters[kQuads];
      mine.read(grads, arrays.grad, begin);
      mine.read(parameters, parameter, begin);
      LECTERN_UNROLLED
      for (int q = 0; q < kQuads; ++q) {
        Quad<C> averages{};
        if (averaged != nullptr) averages = mine_averaged.quad(averaged, begin, q);
        LECTERN_UNROLLED
        for (int i = 0; i < kQuad; ++i) {
          const C delta = updates(r, q, i, grads[q].value[i]), p = static_cast<C>(parameters[q].value[i]);
          parameters[q].value[i] = convert_number<T>(
              averaged == nullptr ? changed(p, delta) : changed(p, delta, averages.value[i]));
        }
        mine.set_quad(parameters[q], parameter, begin, q);
        if (averaged != nullptr) mine_averaged.set_quad(averages, averaged, begin, q);
      }
    });
  }
};

template <typename T>
void launch_step(std::span<const AdafactorUpdate> updates, const GradScale& scale) {
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
  const AdafactorTable table{on_gpu.rows(), on_gpu.count(), scale};
  launch_phases(Phase{blocks_for(table.count), CountSteps{table}}, Phase{tiles, AddSquares<T>{table}},
                Phase{lines, AverageLines<Compute<T>>{table}}, Phase{tiles, AddUpdates<T>{table}},
                Phase{tiles, ChangeParameters<T>{table}});
}

}  // namespace

void adafactor(Dtype dtype, std::span<const AdafactorUpdate> updates, const GradScale& scale) {
  if (updates.empty()) return;
  visit_packed_type(dtype, [&]<typename T>(std::type_identity<T>) {
    if constexpr (!std::is_integral_v<T>) launch_step<T>(updates, scale);
    return true;
  });
}

}  // namespace lectern::kernels::cuda
