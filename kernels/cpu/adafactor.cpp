#include "kernels/adafactor.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/adafactor_step.h"
#include "kernels/cpu/array_chunks.h"
#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/optimizer_blocks.h"

namespace lectern::kernels {
namespace {

/// One parameter, computed in T, and the phases of its step.
template <typename T>
class Parameter {
 public:
  Parameter(const AdafactorUpdate& of, Dtype dtype)
      : of_(of),
        dtype_(dtype),
        step_(of.settings, of.count.step),
        memory_(static_cast<std::size_t>(AdafactorSums::count(of.tiles))),
        sums_(of.tiles, memory_.data()),
        means_(static_cast<std::size_t>(of.tiles.matrices)) {}

  std::int64_t numel() const { return of_.tiles.numel(); }
  std::int64_t tiles() const { return of_.tiles.count(); }
  /// Tiles of rows, then tiles of columns, of each matrix.
  std::int64_t lines() const {
    return of_.tiles.matrices * (of_.tiles.row_tiles() + of_.tiles.column_tiles());
  }

  void add_squares(std::int64_t index) {
    const MatrixTile tile = of_.tiles[index];
    Block grad(dtype_), parameter(dtype_);
    T of_columns[MatrixTiles::kColumns] = {};
    double of_parameter = 0;
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      const std::int64_t begin = of_.tiles.begin(tile, row);
      const T* const numbers = grad.load(of_.grad, begin, tile.columns);
      blocks_.add_squares(numbers, static_cast<T>(of_.factor), tile.columns, of_columns);
      if (of_.rows != nullptr) {
        double* const of_row = sums_.of_row(tile.matrix, tile.first_row + row);
        of_row[tile.column_tile] = of_.factor * of_.factor * squares(numbers, tile.columns);
      }
      if (of_.settings.scale_parameter)
        of_parameter += squares(parameter.load(of_.parameter, begin, tile.columns), tile.columns);
    }
    std::copy_n(of_columns, tile.columns, sums_.of_columns(tile.matrix, tile.row_tile) + tile.first_column);
    sums_.of_parameter()[index] = of_parameter;
  }

  void average(std::int64_t index) {
    const std::int64_t of_matrix = of_.tiles.row_tiles() + of_.tiles.column_tiles();
    const std::int64_t matrix = index / of_matrix, line = index % of_matrix;
    if (line < of_.tiles.row_tiles()) {
      average_rows(matrix, line);
    } else {
      average_columns(matrix, line - of_.tiles.row_tiles());
    }
  }

  /// After all lines.
  void find_means() {
    const std::int64_t tiles = of_.tiles.row_tiles();
    for (std::size_t matrix = 0; matrix < means_.size(); ++matrix) {
      const double sum = total(sums_.of_kept(static_cast<std::int64_t>(matrix)), tiles);
      means_[matrix] = static_cast<T>(sum / static_cast<double>(of_.tiles.rows));
    }
  }

  void add_updates(std::int64_t index) {
    double squares = 0;
    for_rows(of_.tiles[index],
             [&](const AdafactorRow<T>& row, std::int64_t) { squares += blocks_.squares_of_updates(row); });
    sums_.of_updates()[index] = squares;
  }

  /// After all tiles.
  void find_change() {
    const double of_parameter = total(sums_.of_parameter(), tiles()),
                 of_update = total(sums_.of_updates(), tiles());
    change_.emplace(of_.settings, step_, of_parameter, of_update, static_cast<double>(numel()));
  }

  void change(std::int64_t index) {
    Block parameter(dtype_);
    for_rows(of_.tiles[index], [&](const AdafactorRow<T>& row, std::int64_t begin) {
      T* const updates = of_.updates == nullptr ? nullptr : static_cast<T*>(of_.updates) + begin;
      blocks_.adafactor(*change_, row, parameter.load(of_.parameter, begin, row.count), updates);
      parameter.store(row.count);
    });
  }

 private:
  using Block = BlockOf<T, MatrixTiles::kColumns>;

  double squares(const T* numbers, std::int64_t count) const {
    return blocks_.norm_part(TotalNorm::two, numbers, count);
  }
  static double total(const double* parts, std::int64_t count) {
    return optimizer_blocks().norm_of_parts(TotalNorm::one, parts, count);
  }

  void average_rows(std::int64_t matrix, std::int64_t row_tile) {
    const MatrixTiles& tiles = of_.tiles;
    if (of_.rows == nullptr) return;
    const std::int64_t begin = row_tile * MatrixTiles::kRows;
    const std::int64_t end = std::min(begin + MatrixTiles::kRows, tiles.rows);
    double of_tile = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      T& kept = static_cast<T*>(of_.rows)[matrix * tiles.rows + row];
      kept = averaged(kept, total(sums_.of_row(matrix, row), tiles.column_tiles()), tiles.columns);
      of_tile += static_cast<double>(kept);
    }
    sums_.of_kept(matrix)[row_tile] = of_tile;
  }

  void average_columns(std::int64_t matrix, std::int64_t column_tile) {
    const MatrixTiles& tiles = of_.tiles;
    const std::int64_t begin = column_tile * MatrixTiles::kColumns;
    const std::int64_t end = std::min(begin + MatrixTiles::kColumns, tiles.columns);
    double of_columns[MatrixTiles::kColumns] = {};
    for (std::int64_t t = 0; t < tiles.row_tiles(); ++t) {
      const double* const parts = sums_.of_columns(matrix, t);
      for (std::int64_t column = begin; column < end; ++column) of_columns[column - begin] += parts[column];
    }
    T* const kept = static_cast<T*>(of_.columns) + matrix * tiles.columns;
    for (std::int64_t column = begin; column < end; ++column)
      kept[column] = averaged(kept[column], of_columns[column - begin], tiles.rows);
  }

  T averaged(T kept, double sum, std::int64_t count) const {
    const double mean = sum / static_cast<double>(count);
    return static_cast<T>(step_.average(static_cast<double>(kept), mean, of_.settings));
  }

  /// Calls visit(row, first element) for the rows of a tile.
  template <typename Visit>
  void for_rows(const MatrixTile& tile, const Visit& visit) const {
    Block grad(dtype_);
    T roots[MatrixTiles::kColumns];
    const std::int64_t first = tile.matrix * of_.tiles.columns + tile.first_column;
    blocks_.inverse_roots(static_cast<const T*>(of_.columns) + first, tile.columns, roots);
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      const std::int64_t begin = of_.tiles.begin(tile, row);
      visit(AdafactorRow<T>{grad.load(of_.grad, begin, tile.columns), roots, factor_of(tile, row),
                            tile.columns},
            begin);
    }
  }

  T factor_of(const MatrixTile& tile, std::int64_t row) const {
    const T factor = static_cast<T>(of_.factor);
    if (of_.rows == nullptr) return factor;
    const T kept = static_cast<const T*>(of_.rows)[tile.matrix * of_.tiles.rows + tile.first_row + row];
    return factor * inverse_root(kept / means_[static_cast<std::size_t>(tile.matrix)]);
  }

  const OptimizerBlocksOf<T>& blocks_ = optimizer_blocks().of<T>();
  AdafactorUpdate of_;
  Dtype dtype_;
  AdafactorStep step_;
  std::vector<double> memory_;
  AdafactorSums sums_;
  std::vector<T> means_;  ///< of each matrix's row statistics
  std::optional<AdafactorChange<T>> change_;
};

template <typename T>
void step(Dtype dtype, std::span<const AdafactorUpdate> updates) {
  std::vector<Parameter<T>> parameters;
  parameters.reserve(updates.size());
  std::int64_t numbers = 0;
  for (const AdafactorUpdate& of : updates) numbers += parameters.emplace_back(of, dtype).numel();

  const auto for_all = [&](auto parts, auto phase) {
    for_parts(
        parameters, numbers, [&](const Parameter<T>& parameter) { return (parameter.*parts)(); },
        [&] {
          return [&](Parameter<T>& parameter, std::int64_t part, std::int64_t) { (parameter.*phase)(part); };
        });
  };
  for_all(&Parameter<T>::tiles, &Parameter<T>::add_squares);
  for_all(&Parameter<T>::lines, &Parameter<T>::average);
  for (Parameter<T>& parameter : parameters) parameter.find_means();
  for_all(&Parameter<T>::tiles, &Parameter<T>::add_updates);
  for (Parameter<T>& parameter : parameters) parameter.find_change();
  for_all(&Parameter<T>::tiles, &Parameter<T>::change);
}

}  // namespace

void adafactor(Dtype dtype, std::span<const AdafactorUpdate> updates) {
  dispatch_real_compute(dtype, [&](auto tag) { step<typename decltype(tag)::type>(dtype, updates); });
}

}  // namespace lectern::kernels
