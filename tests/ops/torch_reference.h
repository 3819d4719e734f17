#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tensor/tensor.h"

// Operations side by side with those of PyTorch 1.13. The environment variable LECTERN_TORCH says how:
//
//   (unset)  with the goldens, tests/ROOM/goldens/torch/SUITE.TEST.json: what PyTorch made of inputs that are
//            the same on every machine
//   live     with PyTorch, on fresh inputs (LECTERN_SEED=N: on the same again); skips where there is none
//   write    asks PyTorch and writes the goldens; the same bytes every time
//
// A new or changed row needs its golden:
//
//   LECTERN_TORCH=write build/release/tests/ops/test_ops --gtest_filter='*Torch*'
//
// and the same with test_nn for its modules.
//
// Where PyTorch 1.13 lacks an operation for a dtype (much of float16 on the CPU, all of float8), the same is
// evaluated in float64 and rounded once.

namespace lectern::test {

using In = std::vector<Tensor>;
using Out = std::vector<Tensor>;
using Operation = std::function<Out(const In& inputs)>;

/// All dtypes but those of 8 bits that are floating.
inline const std::vector<Dtype> kAll = {float64, float32, float16, bfloat16, int64,
                                        int32,   int16,   int8,    uint8,    bool_};
inline const std::vector<Dtype> kReal = {float64, float32};
inline const std::vector<Dtype> kFloat8 = {float8_e4m3fn, float8_e5m2};
/// Those with gradients worth comparing, and all that are floating.
inline const std::vector<Dtype> kWithGradients = {float64, float32, float16, bfloat16};
inline const std::vector<Dtype> kFloating = {float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2};

inline std::vector<Dtype> operator+(std::vector<Dtype> some, const std::vector<Dtype>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

inline const std::vector<Dtype> kEvery = kAll + kFloat8;

/// One row of a table of operations: what PyTorch evaluates (the inputs are called a, b, c), and the same
/// with ours. Unless the expression asks for gradients itself, those of all floating inputs are compared as
/// well, for dtypes of 16 bits and more, and whether there are any.
struct TorchRow {
  std::string expression;
  std::vector<Sizes> shapes;  ///< of the inputs
  std::vector<Dtype> dtypes;  ///< it is done with each of them
  Operation operation;
  double rtol = 0;  ///< factors of the tolerances (ops/torch_tolerance.h)
  double atol = 0;
  bool gradients = true;
  bool composed = false;  ///< nothing that 1.13 has: in float64, whatever the dtype, and rounded once
};

/// What PyTorch evaluates for the gradient of a, which `expression` calls x, from `grad`, that of the result.
inline std::string gradient_in_torch(const std::string& expression, const std::string& grad) {
  return "(lambda x, grad: torch.autograd.grad(" + expression +
         ", x, grad))(a.clone(memory_format=torch.contiguous_format).requires_grad_(), " + grad + ")";
}

/// Whether inputs are drawn anew in this run.
bool torch_is_live();

/// Does every row with every dtype; expects the same dtypes, shapes and numbers within the tolerances, or
/// that both refuse. Once in a test: its goldens bear its name.
void expect_as_torch(const std::vector<TorchRow>& rows);

}  // namespace lectern::test
