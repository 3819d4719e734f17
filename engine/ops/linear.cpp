#include "ops/linear.h"

#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/compute_numbers.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/sum_to.h"

namespace lectern {
namespace {

using autograd::Gradients;
using autograd::Saved;

void check_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (weight.dim() != 2) {
    throw TensorError("linear", "weight", "a matrix [out, in]", "of shape " + to_string(weight.sizes()));
  }
  if (x.dim() == 0 || x.size(-1) != weight.size(1)) {
    throw TensorError("linear", "x", "of last size " + std::to_string(weight.size(1)) + ", as weight's",
                      "of shape " + to_string(x.sizes()));
  }
  if (bias.defined() && bias.sizes() != Sizes{weight.size(0)}) {
    throw TensorError("linear", "bias", "of shape [" + std::to_string(weight.size(0)) + "]",
                      "of shape " + to_string(bias.sizes()));
  }
}

/// All dimensions but the last one as rows.
Tensor as_rows(const Tensor& x) {
  return x.dim() == 1 ? x.unsqueeze(0) : x.flatten(0, -2);
}

void check_vectors(std::string_view operation, const Tensor& a, const Tensor& b) {
  if (a.dim() == 1 && b.dim() == 1) return;
  throw TensorError(operation, "the operands", "vectors",
                    "of shapes " + to_string(a.sizes()) + " and " + to_string(b.sizes()));
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check_linear(x, weight, bias);
  const Tensor out = [&] {
    const NoGradGuard no_grad;
    if (!bias.defined()) return matmul(x, weight.t());
    if (are_float8(x, weight, bias))
      return in_float32([](const auto&... in) { return linear(in...); }, x, weight, bias);
    return matmul(x, weight.t()).add_(bias);
  }();
  if (autograd::records_any({&x, &weight, &bias})) {
    autograd::record("linear", out, {&x, &weight, &bias},
                     [x = Saved(x, weight.requires_grad()), weight = Saved(weight, x.requires_grad()),
                      outputs = weight.size(0)](const Tensor& grad, Gradients& gradients) {
                       gradients.of(0, [&] { return matmul(grad, weight.get()); });
                       gradients.of(1, [&] { return matmul(as_rows(grad).t(), as_rows(x.get())); });
                       gradients.of(2, [&] { return sum_to(grad, {outputs}); });
                     });
  }
  return out;
}

Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  if (!a.is_floating_point()) {
    beta = beta.to_int64();
    alpha = alpha.to_int64();
  }
  if (are_float8(input, a, b))
    return in_float32([&](const auto&... in) { return addmm(in..., beta, alpha); }, input, a, b);
  const Tensor product = mm(a, b);
  const Tensor scaled = alpha.to_double() == 1 ? product : product * alpha;
  if (beta.to_double() == 0) return scaled;  // what the input holds does not matter, not even NaN
  return scaled + (beta.to_double() == 1 ? input : input * beta);
}

Tensor dot(const Tensor& a, const Tensor& b) {
  check_vectors("dot", a, b);
  return matmul(a, b);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check_vectors("outer", a, b);
  return a.unsqueeze(1) * b;
}

}  // namespace lectern
