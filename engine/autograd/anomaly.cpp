#include "autograd/anomaly.h"

#include <string>

#include "base/tensor_error.h"
#include "tensor/elements.h"

namespace lectern::autograd {

void check_gradient(std::string_view operation, std::size_t input, const Tensor& gradient) {
  const auto nans = statistics(gradient).nan;
  if (nans == 0) return;
  throw TensorError("backward", "the gradient of " + std::string(operation) + " with respect to input " +
                                    std::to_string(input) + ", of shape " + to_string(gradient.sizes()) +
                                    ", contains NaN " + std::to_string(nans) + " times");
}

}  // namespace lectern::autograd
