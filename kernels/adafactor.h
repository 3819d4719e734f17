#pragma once

#include <cstdint>
#include <span>

#include "kernels/matrix_tiles.h"
#include "kernels/updates.h"
#include "tensor/dtype.h"

// A step of Adafactor, whose formulas optim/adafactor.h has, on arrays in the CPU's memory, of all parameters
// at once. It goes through them in four phases, tile by tile (kernels/matrix_tiles.h):
//
//   1  along the rows and columns of a tile squares of gradients are added up, and squares of the parameter
//   2  what is kept of rows and columns takes these sums in
//   3  squares of updates are added up, since their size decides how far to go
//   4  the updates are computed again, and the parameter changes
//
// Numbers are computed in double for float64, else in float, and rounded once; sums of tiles are double. They
// take a thirtieth of a parameter's memory, and nothing else is allocated in proportion to it. Above 32,768
// numbers all OpenMP threads take part; results do not depend on their number, nor on the instruction set.
// O(numbers).

namespace lectern::kernels {

/// The options of optim::Adafactor; eps₁ and eps₂ of its formulas are eps_square and eps_scale.
struct AdafactorSettings {
  double lr;
  double eps_square, eps_scale;
  double clip_threshold, decay_rate, beta1, weight_decay;
  bool scale_parameter, relative_step, warmup_init;
};

/// One parameter: arrays without gaps, none of which overlap. What is kept is computed numbers: float64 of
/// float64, else float32.
struct AdafactorUpdate {
  MatrixTiles tiles;  ///< of a parameter with less than two dimensions: one row
  void* parameter;
  const void* grad;
  void* rows;     ///< averages of squares, for each row; null of a parameter with less than two dimensions
  void* columns;  ///< the same for each column
  void* updates;  ///< averages of updates, for each number; null without beta1
  AdafactorSettings settings;
  double factor;  ///< what gradients are multiplied with first
  StepCount count;
};

/// `dtype`, that of parameters and gradients, is float64, float32, float16 or bfloat16.
void adafactor(Dtype dtype, std::span<const AdafactorUpdate> updates);

}  // namespace lectern::kernels
