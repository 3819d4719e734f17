#pragma once

#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "kernels/matrix_tiles.h"
#include "kernels/updates.h"

// A step of Adafactor (formulas: optim/adafactor.h), for all parameters at once. It runs in
// four phases, tile by tile (kernels/matrix_tiles.h):
//
//   1  sum squares of gradients along the rows and columns of each tile, and squares of the parameter
//   2  update the statistics of rows and columns with these sums
//   3  sum squares of updates, since their magnitude determines the step size
//   4  recompute the updates and change the parameter
//
// Computes in double for float64, else in float, and rounds once; sums of tiles are double, of their rows and
// columns on a GPU those of a warp float. They take a thirtieth of a parameter's memory; nothing else is
// allocated in proportion to it. Uses all OpenMP threads above 32,768 elements; results depend neither on the
// thread count nor on the instruction set. O(elements).

namespace lectern::kernels {

/// The options of optim::Adafactor; eps₁ and eps₂ of its formulas are eps_square and eps_scale.
struct AdafactorSettings {
  double lr;
  double eps_square, eps_scale;
  double clip_threshold, decay_rate, beta1, weight_decay;
  bool scale_parameter, relative_step, warmup_init;
};

/// One parameter: contiguous arrays, none of which overlap. Statistics are of the compute type: float64 or
/// float32.
struct AdafactorUpdate {
  MatrixTiles tiles;  ///< one row for a parameter of less than two dimensions
  void* parameter;
  const void* grad;
  void* rows;     ///< averages of squares, per row; null for a parameter of less than two dimensions
  void* columns;  ///< the same, per column
  void* updates;  ///< averages of updates, per element; null without beta1
  AdafactorSettings settings;
  double factor;  ///< multiplies gradients first
  StepCount count;
};

/// `dtype`, that of parameters and gradients, is float64, float32, float16 or bfloat16. On a GPU one launch,
/// as update_parameters()'s.
LECTERN_KERNEL(void, adafactor, Dtype dtype, std::span<const AdafactorUpdate> updates,
               const GradScale& scale);

}  // namespace lectern::kernels
