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

/// out = the gradient of the logits, times a scale per line or, unless `each`, one for all. `out` is
/// row-major and of the logits' dtype.
LECTERN_KERNEL(void, cross_entropy_backward, const ClassLines& lines, const Array& out,
               const void* normalizers, const void* scales, bool each);

/// Both at once, from one reading of memory: for each line its loss and its weight in a mean, and in place of
/// its logits, which are row-major, their gradient.
LECTERN_KERNEL(void, cross_entropy_in_place, const ClassLines& lines, void* losses, void* weights);

/// For each line: minus its element at the target, times the weight, also its weight in a mean.
LECTERN_KERNEL(void, nll_loss, const ClassLines& lines, void* losses, void* weights);

/// out, which is all 0, gets the gradient of that at the targets, times a scale per line or one for all.
LECTERN_KERNEL(void, nll_loss_backward, const ClassLines& lines, const Array& out, const void* scales,
               bool each);

}  // namespace lectern::kernels
