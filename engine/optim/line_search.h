#pragma once

#include <cstdint>
#include <functional>

#include "tensor/tensor.h"

namespace lectern::optim {

/// A point on a line: how far along its direction it lies, the loss there, the loss's derivative along the
/// direction, and its gradient.
struct LinePoint {
  double step;
  double loss;
  double slope;
  Tensor gradient;
};

struct LineSearch {
  LinePoint found;
  std::int64_t evaluations;
};

/// A point that satisfies the strong Wolfe conditions with c₁ = 10⁻⁴ and c₂ = 0.9 (Nocedal, Wright 2006,
/// "Numerical Optimization", section 3.5), with cubic interpolation, as PyTorch's; the best one known after
/// 25 steps, or when the bracket is below `tolerance`. `start` is the point at 0; `width` is the largest
/// element of the direction.
LineSearch strong_wolfe(const std::function<LinePoint(double step)>& evaluate, const LinePoint& start,
                        double first_step, double width, double tolerance);

}  // namespace lectern::optim
