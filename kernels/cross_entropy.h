#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/elementwise.h"

// Cross-entropy of lines of logits with classes, of any floating dtype and strides; see
// kernels/cross_entropy_row.h. The logits are read once, probabilities never stored. Computed in the compute
// type of the logits' dtype, as are losses, weights and what goes with them. Results do not depend on the
// number of threads. O(logits). On a GPU invalid targets give NaN, and weights are aligned to 16 bytes.

namespace lectern::kernels {

/// Lines along `dim` of `logits`, and contiguous arrays in row-major order of the other dimensions.
struct ClassLines {
  std::span<const std::int64_t> sizes;
  std::size_t dim;
  Array logits;
  const std::int64_t* targets;  ///< one per line
  const void* weight;           ///< one per class; null: 1
  std::int64_t ignored;         ///< a target with no loss
  double smoothing;
};

/// For each line: its loss, its largest logit m and ln Σ e^(logit - m), and its weight in a mean.
LECTERN_KERNEL(void, cross_entropy, const ClassLines& lines, void* losses, void* normalizers, void* weights);

/// The losses and weights of all lines, in the compute type `computed`, and where what they amount to goes.
struct ClassTotals {
  Dtype computed;
  const void* losses;
  const void* weights;
  std::int64_t count;
  bool is_mean;
  void* loss;  ///< a scalar of `loss_dtype`: Σ losses, divided by Σ weights if it is a mean
  Dtype loss_dtype;
  void* total_weight;  ///< Σ weights
};
LECTERN_KERNEL(void, class_totals, const ClassTotals& totals);

/// The factors of the lines' gradients: one per line or, unless `each`, one for all, divided by the total
/// weight if there is one.
struct ClassScales {
  const void* factors;
  bool each;
  const void* total_weight;
};

/// out = the gradient of the logits, scaled. `out` is row-major and of the logits' dtype.
LECTERN_KERNEL(void, cross_entropy_backward, const ClassLines& lines, const Array& out,
               const void* normalizers, const ClassScales& scales);

/// Both at once, from one reading of memory: for each line its loss and its weight in a mean, and in place of
/// its logits, which are row-major, their gradient.
LECTERN_KERNEL(void, cross_entropy_in_place, const ClassLines& lines, void* losses, void* weights);

/// For each line: minus its element at the target, times the weight, also its weight in a mean.
LECTERN_KERNEL(void, nll_loss, const ClassLines& lines, void* losses, void* weights);

/// out, which is all 0, gets the gradient of that at the targets, scaled.
LECTERN_KERNEL(void, nll_loss_backward, const ClassLines& lines, const Array& out, const ClassScales& scales);

}  // namespace lectern::kernels
