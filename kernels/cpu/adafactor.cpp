#include "kernels/adafactor.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/adafactor_step.h"
#include "kernels/cpu/array_chunks.h"
#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/optimizer_blocks.h"

namespace lectern::kernels::cpu {
namespace {

/// One parameter, computed in T, and the phases of its step.
template <typename T>
class Parameter {
 public:
  Parameter(const AdafactorUpdate& arrays, Dtype dtype)
      : arrays_(arrays),
        dtype_(dtype),
        step_(arrays.settings, arrays.count.step),
        memory_(static_cast<std::size_t>(AdafactorSums::count(arrays.tiles))),
        sums_(arrays.tiles, memory_.data()),
        means_(static_cast<std::size_t>(arrays.tiles.matrices)) {}

  std::int64_t numel() const { return arrays_.tiles.numel(); }
  std::int64_t tiles() const { return arrays_.tiles.count(); }
  /// Tiles of rows, then tiles of columns, of each matrix.
  std::int64_t lines() const {
    return arrays_.tiles.matrices * (arrays_.tiles.row_tiles() + arrays_.tiles.column_tiles());
  }

  void add_squares(std::int64_t index) {
    const MatrixTile tile = arrays_.tiles[index];
    Block grad(dtype_), parameter(dtype_);
    T column_sums[MatrixTiles::kColumns] = {};
    double parameter_sum = 0;
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      const std::int64_t begin = arrays_.tiles.begin(tile, row);
      const T* const values = grad.load(arrays_.grad, begin, tile.columns);
      blocks_.add_squares(values, static_cast<T>(arrays_.factor), tile.columns, column_sums);
      if (arrays_.rows != nullptr) {
        double* const row_sums = sums_.row_squares(tile.matrix, tile.first_row + row);
        row_sums[tile.column_tile] = arrays_.factor * arrays_.factor * squares(values, tile.columns);
      }
      if (arrays_.settings.scale_parameter)
        parameter_sum += squares(parameter.load(arrays_.parameter, begin, tile.columns), tile.columns);
    }
    std::copy_n(column_sums, tile.columns,
                sums_.column_squares(tile.matrix, tile.row_tile) + tile.first_column);
    sums_.parameter_squares()[index] = parameter_sum;
  }

  void average(std::int64_t index) {
    const std::int64_t matrix_lines = arrays_.tiles.row_tiles() + arrays_.tiles.column_tiles();
    const std::int64_t matrix = index / matrix_lines, line = index % matrix_lines;
    if (line < arrays_.tiles.row_tiles()) {
      average_rows(matrix, line);
    } else {
      average_columns(matrix, line - arrays_.tiles.row_tiles());
    }
  }

  /// After all lines.
  void find_means() {
    const std::int64_t tiles = arrays_.tiles.row_tiles();
    for (std::size_t matrix = 0; matrix < means_.size(); ++matrix) {
      const double sum = total(sums_.row_statistics(static_cast<std::int64_t>(matrix)), tiles);
      means_[matrix] = static_cast<T>(sum / static_cast<double>(arrays_.tiles.rows));
    }
  }

  void add_updates(std::int64_t index) {
    double squares = 0;
    for_rows(arrays_.tiles[index],
             [&](const AdafactorRow<T>& row, std::int64_t) { squares += blocks_.update_squares(row); });
    sums_.update_squares()[index] = squares;
  }

  /// After all tiles.
  void find_change() {
    const double parameter_sum = total(sums_.parameter_squares(), tiles()),
                 update_sum = total(sums_.update_squares(), tiles());
    change_.emplace(arrays_.settings, step_, parameter_sum, update_sum, static_cast<double>(numel()));
  }

  void change(std::int64_t index) {
    Block parameter(dtype_);
    for_rows(arrays_.tiles[index], [&](const AdafactorRow<T>& row, std::int64_t begin) {
      T* const updates = arrays_.updates == nullptr ? nullptr : static_cast<T*>(arrays_.updates) + begin;
      blocks_.adafactor(*change_, row, parameter.load(arrays_.parameter, begin, row.count), updates);
      parameter.store(row.count);
    });
  }

 private:
  using Block = ConvertedBlock<T, MatrixTiles::kColumns>;

  double squares(const T* values, std::int64_t count) const {
    return blocks_.norm_part(TotalNorm::two, values, count);
  }
  static double total(const double* parts, std::int64_t count) {
    return optimizer_blocks().total_norm(TotalNorm::one, parts, count);
  }

  void average_rows(std::int64_t matrix, std::int64_t row_tile) {
    const MatrixTiles& tiles = arrays_.tiles;
    if (arrays_.rows == nullptr) return;
    const std::int64_t begin = row_tile * MatrixTiles::kRows;
    const std::int64_t end = std::min(begin + MatrixTiles::kRows, tiles.rows);
    double tile_sum = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      T& kept = static_cast<T*>(arrays_.rows)[matrix * tiles.rows + row];
      kept = averaged(kept, total(sums_.row_squares(matrix, row), tiles.column_tiles()), tiles.columns);
      tile_sum += static_cast<double>(kept);
    }
    sums_.row_statistics(matrix)[row_tile] = tile_sum;
  }

  void average_columns(std::int64_t matrix, std::int64_t column_tile) {
    const MatrixTiles& tiles = arrays_.tiles;
    const std::int64_t begin = column_tile * MatrixTiles::kColumns;
    const std::int64_t end = std::min(begin + MatrixTiles::kColumns, tiles.columns);
    double column_sums[MatrixTiles::kColumns] = {};
    for (std::int64_t t = 0; t < tiles.row_tiles(); ++t) {
      const double* const parts = sums_.column_squares(matrix, t);
      for (std::int64_t column = begin; column < end; ++column) column_sums[column - begin] += parts[column];
    }
    T* const kept = static_cast<T*>(arrays_.columns) + matrix * tiles.columns;
    for (std::int64_t column = begin; column < end; ++column)
      kept[column] = averaged(kept[column], column_sums[column - begin], tiles.rows);
  }

  T averaged(T kept, double sum, std::int64_t count) const {
    const double mean = sum / static_cast<double>(count);
    return static_cast<T>(step_.average(static_cast<double>(kept), mean, arrays_.settings));
  }

  /// Calls visit(row, first element) for the rows of a tile.
  template <typename Visit>
  void for_rows(const MatrixTile& tile, const Visit& visit) const {
    Block grad(dtype_);
    T roots[MatrixTiles::kColumns];
    const std::int64_t first = tile.matrix * arrays_.tiles.columns + tile.first_column;
    blocks_.inverse_roots(static_cast<const T*>(arrays_.columns) + first, tile.columns, roots);
    for (std::int64_t row = 0; row < tile.rows; ++row) {
      const std::int64_t begin = arrays_.tiles.begin(tile, row);
      visit(AdafactorRow<T>{grad.load(arrays_.grad, begin, tile.columns), roots, row_factor(tile, row),
                            tile.columns},
            begin);
    }
  }

  T row_factor(const MatrixTile& tile, std::int64_t row) const {
    const T factor = static_cast<T>(arrays_.factor);
    if (arrays_.rows == nullptr) return factor;
    const T kept =
        static_cast<const T*>(arrays_.rows)[tile.matrix * arrays_.tiles.rows + tile.first_row + row];
    return factor * inverse_root(kept / means_[static_cast<std::size_t>(tile.matrix)]);
  }

  const RealOptimizerBlocks<T>& blocks_ = optimizer_blocks().get<T>();
  AdafactorUpdate arrays_;
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
  std::int64_t elements = 0;
  for (const AdafactorUpdate& arrays : updates) elements += parameters.emplace_back(arrays, dtype).numel();

  const auto for_all = [&](auto parts, auto phase) {
    for_parts(
        parameters, elements, [&](const Parameter<T>& parameter) { return (parameter.*parts)(); },
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

void adafactor(Dtype dtype, std::span<const AdafactorUpdate> updates, const GradScale&) {
  dispatch_real_compute(dtype, [&](auto tag) { step<typename decltype(tag)::type>(dtype, updates); });
}

}  // namespace lectern::kernels::cpu
