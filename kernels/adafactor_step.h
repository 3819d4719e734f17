#pragma once

#include "kernels/adafactor.h"
#include "kernels/fold_functors.h"
#include "kernels/math.h"

// The formulas of Adafactor, for host and device.

namespace lectern::kernels {

/// Values shared by all parameters with the same options.
struct AdafactorStep {
  double share;  ///< weight of new squares in their averages
  double rate;   ///< step size, before scaling to the parameter

  LECTERN_HD AdafactorStep(const AdafactorSettings& settings, double step)
      : share(math::pow(step, settings.decay_rate)), rate(settings.lr) {
    if (!settings.relative_step) return;
    const double most = settings.warmup_init ? 1e-6 * step : 1e-2, falling = 1 / math::sqrt(step);
    rate = most < falling ? most : falling;
  }

  LECTERN_HD double average(double kept, double mean_square, const AdafactorSettings& settings) const {
    return (1 - share) * kept + share * (mean_square + settings.eps_square);
  }
};

/// How an element changes, given the norms of the whole parameter and of its update.
template <RealComputeType C>
struct AdafactorChange {
  C scale, keep, beta1;

  /// From sums of squares.
  LECTERN_HD AdafactorChange(const AdafactorSettings& settings, const AdafactorStep& step,
                             double parameter_squares, double update_squares, double numel) {
    const double size =
        settings.scale_parameter ? Maximum{}(math::sqrt(parameter_squares / numel), settings.eps_scale) : 1;
    const double rate = step.rate * size;
    scale =
        static_cast<C>(rate / Maximum{}(math::sqrt(update_squares / numel) / settings.clip_threshold, 1.));
    keep = static_cast<C>(1 - settings.weight_decay * rate);
    beta1 = static_cast<C>(settings.beta1);
  }

  LECTERN_HD C operator()(C p, C delta) const { return keep * p - scale * delta; }
  LECTERN_HD C operator()(C p, C delta, C& average) const {
    average = beta1 * average + (1 - beta1) * (scale * delta);
    return keep * p - average;
  }
};

/// 1 / √average: the factor of a row's or column's elements.
template <RealComputeType C>
LECTERN_HD C inverse_root(C average) {
  return 1 / math::sqrt(average);
}

/// The sums of a parameter's tiles, in an array of count() values.
class AdafactorSums {
 public:
  static std::int64_t count(const MatrixTiles& tiles) {
    return tiles.matrices * (tiles.rows * tiles.column_tiles() + tiles.row_tiles() * (tiles.columns + 1)) +
           2 * tiles.count();
  }
  AdafactorSums(const MatrixTiles& tiles, double* at)
      : tiles_(tiles),
        rows_(at),
        columns_(rows_ + tiles.matrices * tiles.rows * tiles.column_tiles()),
        kept_(columns_ + tiles.matrices * tiles.row_tiles() * tiles.columns),
        parameter_(kept_ + tiles.matrices * tiles.row_tiles()),
        updates_(parameter_ + tiles.count()) {}

  /// Squares of a row, per tile of columns.
  LECTERN_HD double* row_squares(std::int64_t matrix, std::int64_t row) const {
    return rows_ + (matrix * tiles_.rows + row) * tiles_.column_tiles();
  }
  /// Squares of all columns of a matrix, per tile of rows.
  LECTERN_HD double* column_squares(std::int64_t matrix, std::int64_t row_tile) const {
    return columns_ + (matrix * tiles_.row_tiles() + row_tile) * tiles_.columns;
  }
  /// Row statistics, per tile of rows.
  LECTERN_HD double* row_statistics(std::int64_t matrix) const { return kept_ + matrix * tiles_.row_tiles(); }
  /// Squares of the parameter and of updates, per tile.
  LECTERN_HD double* parameter_squares() const { return parameter_; }
  LECTERN_HD double* update_squares() const { return updates_; }

 private:
  MatrixTiles tiles_;
  double *rows_, *columns_, *kept_, *parameter_, *updates_;
};

}  // namespace lectern::kernels
