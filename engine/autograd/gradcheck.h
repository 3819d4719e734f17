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

/// Whether the gradients of a function are its derivatives: each one by backward(), for each number of the
/// result, is compared with the difference quotient (f(x + eps) - f(x - eps)) / (2 eps). A TensorError that
/// says where they differ by more than atol + rtol · |quotient|; as PyTorch's, it is for float64.
///
/// Inputs that require no gradient stay as they are; the others are changed in place and put back. They must
/// not share memory. O(inputs · cost of f + results · cost of backward).
bool gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& function,
               const std::vector<Tensor>& inputs, const GradcheckOptions& options = {});

}  // namespace lectern::autograd
