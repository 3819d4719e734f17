#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tensor/tensor.h"

// Operations side by side with PyTorch's, on the same fresh inputs.

namespace lectern::test {

/// Tensors, or the message of an error.
struct Outcome {
  std::vector<Tensor> values;
  std::optional<std::string> error;
};

using In = std::vector<Tensor>;
using Out = std::vector<Tensor>;
using Operation = std::function<Out(const In& inputs)>;

/// All dtypes but those of 8 bits that are floating, which PyTorch 1.13 has not.
inline const std::vector<Dtype> kAll = {float64, float32, float16, bfloat16, int64,
                                        int32,   int16,   int8,    uint8,    bool_};
inline const std::vector<Dtype> kReal = {float64, float32};

/// One row of a table of operations: what PyTorch evaluates (the inputs are called a, b, c), and the same
/// with ours.
struct TorchRow {
  std::string expression;
  std::vector<Sizes> shapes;  ///< of the inputs
  std::vector<Dtype> dtypes;  ///< it is done with each of them
  Operation operation;
  double rtol = 0;  ///< in epsilons of the result's dtype
  double atol = 0;  ///< likewise
};

/// What PyTorch evaluates for the gradient of a, which `expression` calls x, from `grad`, that of the result.
inline std::string gradient_in_torch(const std::string& expression, const std::string& grad) {
  return "(lambda x, grad: torch.autograd.grad(" + expression +
         ", x, grad))(a.clone(memory_format=torch.contiguous_format).requires_grad_(), " + grad + ")";
}

/// Does every row with fresh numbers, every dtype and every layout of the inputs, in one run of PyTorch;
/// expects the same dtypes, shapes and numbers within the tolerances, or that both refuse. Skips the test
/// where there is no PyTorch.
void expect_as_torch(const std::vector<TorchRow>& rows);

}  // namespace lectern::test
