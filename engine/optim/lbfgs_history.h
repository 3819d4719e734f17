#pragma once

#include <cstddef>
#include <deque>

#include "optim/optimizer.h"

namespace lectern::optim {

/// What L-BFGS remembers of the loss's curvature: of its last iterations how the gradient changed (y), by
/// which step of the parameters (s), and 1 / (y · s). These are in an optimizer's state as "old_dirs.i",
/// "old_stps.i" and "ro.i", and "H_diag", y · s / y · y of the last.
class LbfgsHistory {
 public:
  LbfgsHistory(const Optimizer::State& state, std::size_t most);

  void clear();
  /// Unless the curvature y · s is too small; drops the oldest entry if there are `most`.
  void add(const Tensor& gradient_change, const Tensor& step);
  /// -H · gradient for the approximate inverse Hessian H, by the recursion over the entries, back and forth.
  Tensor direction(const Tensor& gradient) const;
  void keep(Optimizer::State& state) const;

 private:
  struct Entry {
    Tensor change, step, share;
  };

  std::size_t most_;
  std::deque<Entry> entries_;
  Tensor scale_;
};

}  // namespace lectern::optim
