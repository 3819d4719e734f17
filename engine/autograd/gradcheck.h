#pragma once

#include <functional>
#include <vector>

#include "tensor/tensor.h"

namespace lectern::autograd {

struct GradcheckOptions {
  double eps = 1e-6;
  double atol = 1e-5;
  double rtol = 1e-3;
};

/// Checks a function's gradients: backward()'s, for each element of the result, against the difference
/// quotient (f(x + eps) - f(x - eps)) / (2 eps). A TensorError where they differ by more than atol + rtol ·
/// |quotient|; like PyTorch's, it is meant for float64.
///
/// Inputs that require no gradient are untouched; the others are perturbed in place and restored. They must
/// not share memory. O(elements of the inputs · cost of f + elements of the result · inputs · cost of
/// backward).
bool gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& function,
               const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

}  // namespace lectern::autograd
