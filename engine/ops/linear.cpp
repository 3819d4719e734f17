#include "ops/linear.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/devices.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/operands.h"
#include "ops/reductions.h"
#include "tensor/array.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

/// A TensorError unless the factors share device and dtype.
void check_factors(std::string_view operation, std::string_view names, const Tensor& a, const Tensor& b) {
  check_same_device(operation, a, b);
  if (a.dtype() == b.dtype()) return;
  throw TensorError(operation, "the dtypes of " + std::string(names), "the same; convert one with to()",
                    std::string(name(a.dtype())) + " and " + std::string(name(b.dtype())));
}

/// A TensorError unless `summand` can be added to products of x.
void check_summand(std::string_view operation, std::string_view argument, const Tensor& summand,
                   const Tensor& x) {
  check_same_device(operation, summand, x);
  if (summand.dtype() == x.dtype()) return;
  throw TensorError(operation, argument, "of the matrices' dtype " + std::string(name(x.dtype())),
                    name(summand.dtype()));
}

/// For matrices, of 2 dimensions, or batches of them, of 3.
void check_added(std::string_view operation, std::int64_t dims, const Tensor& input, const Tensor& a,
                 const Tensor& b) {
  const std::string_view names = dims == 2 ? "a and b" : "batch1 and batch2";
  if (a.dim() != dims || b.dim() != dims || (dims == 3 && a.size(0) != b.size(0))) {
    throw TensorError(operation, names, dims == 2 ? "matrices" : "two batches of equally many matrices",
                      "of shapes " + to_string(a.sizes()) + " and " + to_string(b.sizes()));
  }
  check_factors(operation, names, a, b);
  check_summand(operation, "input", input, a);
  Sizes result = a.sizes();
  result[result.size() - 1] = b.size(-1);
  if (input.dim() > dims || broadcast_sizes(operation, input.sizes(), result) != result) {
    throw TensorError(operation, "input", "one that can be expanded to " + to_string(result),
                      "of shape " + to_string(input.sizes()));
  }
}

/// sums + x, rounded once to `dtype`; in place if the sums have that dtype.
Tensor plus(std::string_view operation, const Tensor& sums, const Tensor& x, Dtype dtype) {
  if (sums.dtype() == dtype) return sums.add_(x);
  const Operand a(sums, sums.dtype(), sums.sizes(), sums.device());
  const Operand b(x, sums.dtype(), sums.sizes(), sums.device());
  Tensor out = empty_result(operation, dtype, sums.sizes(), sums.device(), a, b);
  apply_elementwise(operation, kernels::Binary::add, sums.dtype(), a.contiguous() && b.contiguous(), out,
                    a.array(), b.array());
  count_elementwise(out, a, b);
  return out;
}

/// Whether BLAS can accumulate a · b.
bool adds_up(const Tensor& a, const Tensor& b) {
  return !a.is_cuda() && !b.is_cuda() && a.dtype() == b.dtype() &&
         (a.dtype() == float32 || a.dtype() == float64) && a.size(-1) == b.size(0);
}

/// Whether a GPU may add x to the rows of a · b as it computes them.
bool is_bias(const Tensor& x, const Tensor& a, const Tensor& b) {
  return x.is_cuda() && x.dim() == 1 && x.size(0) == b.size(1) && x.is_contiguous() &&
         a.device() == x.device() && b.device() == x.device() && a.size(-1) == b.size(0);
}

/// The result of a · b for a matrix b.
Tensor empty_product(const Tensor& a, const Tensor& b) {
  Sizes sizes = a.sizes();
  sizes[sizes.size() - 1] = b.size(1);
  return empty(sizes, {.dtype = a.dtype(), .device = a.device()});
}

/// a · b + x in one pass; undefined where there is none. Counts what plus() and matmul_sums() do.
Tensor fused_product_plus(const Tensor& a, const Tensor& b, const Tensor& x) {
  const Tensor out = empty_product(a, b);
  const Tensor rows = uncounted([&] { return as_rows(a); });
  if (!biased_matmul(as_rows(out), rows, b, x)) return {};
  const std::int64_t sums = out.numel() * element_size(compute_dtype(a.dtype()));
  count(out.numel() * (2 * b.size(0) + 1),
        bytes_in_memory(a) + bytes_in_memory(b) + 2 * sums + bytes_in_memory(x) + out.nbytes());
  return out;
}

/// a · b + x for a matrix b, rounded once. Accumulating into copies of x saves a pass over the result.
Tensor product_plus(std::string_view operation, const Tensor& a, const Tensor& b, const Tensor& x) {
  if (is_bias(x, a, b)) {
    if (Tensor fused = fused_product_plus(a, b, x); fused.defined()) return fused;
  }
  if (!adds_up(a, b)) return plus(operation, matmul_sums(a, b), x, a.dtype());
  const Tensor out = empty_product(a, b);
  out.copy_(x.expand(out.sizes()));
  if (out.numel() == 0) return out;
  uncounted([&] { add_matmul(as_rows(out), as_rows(a), b); });
  count_product(out, b.size(0), a, b);
  count(out.numel(), out.nbytes());
  return out;
}

/// Of linear's weight. Rows that lie apart in memory are copied.
Tensor weight_gradient(const Tensor& grad, const Tensor& x) {
  const Tensor out = uncounted([&] { return matmul(as_rows(grad).t(), as_rows(x)); });
  count_product(out, grad.numel() / std::max<std::int64_t>(1, grad.size(-1)), grad, x);
  return out;
}

/// Of linear's weight and bias, from one pass over the gradient; false where the device has none. Counts what
/// weight_gradient() and sum_to() do.
bool add_weight_and_bias_gradients(const Tensor& grad, const Tensor& x, Gradients& gradients) {
  if (!grad.is_cuda() || grad.dim() < 2) return false;
  const Tensor rows = uncounted([&] { return as_rows(grad); }),
               inputs = uncounted([&] { return as_rows(x); });
  const TensorOptions options{.dtype = grad.dtype(), .device = grad.device()};
  const Tensor weight = empty({rows.size(1), inputs.size(1)}, options);
  const Tensor bias = empty({rows.size(1)}, options);
  if (!matmul_and_row_sums(weight, bias, rows.t(), inputs)) return false;
  count_product(weight, rows.size(0), grad, x);
  count(grad.numel(), bytes_in_memory(grad) + bias.nbytes());
  gradients.add(1, weight);
  gradients.add(2, bias);
  return true;
}

/// beta · input + alpha · (a · b).
Tensor scaled_sum(std::string_view operation, const Tensor& input, const Tensor& a, const Tensor& b,
                  Scalar beta, Scalar alpha) {
  if (!a.is_floating_point()) {
    beta = beta.to_int64();
    alpha = alpha.to_int64();
  }
  const auto times = [](const Tensor& x, const Scalar& factor) {
    return factor.to_double() == 1 ? x : x * factor;
  };
  return autograd::recorded(
      operation, {&input, &a, &b},
      [&] {
        if (a.dim() == 2 && alpha.to_double() == 1 && beta.to_double() == 1)
          return product_plus(operation, a, b, input);
        const Tensor sums = times(matmul_sums(a, b), alpha);
        if (beta.to_double() == 0) return sums.to(a.dtype());  // ignores the input's values, NaN too
        return plus(operation, sums, times(input.to(sums.dtype()), beta), a.dtype());
      },
      [&] {
        return [a = Saved(a, b.requires_grad()), b = Saved(b, a.requires_grad()), sizes = input.sizes(), beta,
                alpha, times](const Tensor& grad, Gradients& gradients) {
          gradients.add(0, [&] { return times(sum_to(grad, sizes), beta); });
          gradients.add(1, [&] { return times(matmul(grad, b.get().mT()), alpha); });
          gradients.add(2, [&] { return times(matmul(a.get().mT(), grad), alpha); });
        };
      });
}

void check_vectors(std::string_view operation, const Tensor& a, const Tensor& b) {
  if (a.dim() == 1 && b.dim() == 1) return;
  throw TensorError(operation, "the operands", "vectors",
                    "of shapes " + to_string(a.sizes()) + " and " + to_string(b.sizes()));
}

}  // namespace

void check_linear_shapes(std::string_view operation, const Tensor& x, const Tensor& weight,
                         const Tensor& bias) {
  if (weight.dim() != 2) {
    throw TensorError(operation, "weight", "a matrix [out, in]", "of shape " + to_string(weight.sizes()));
  }
  if (x.dim() == 0 || x.size(-1) != weight.size(1)) {
    throw TensorError(operation, "x", "of last size " + std::to_string(weight.size(1)) + ", as weight's",
                      "of shape " + to_string(x.sizes()));
  }
  if (bias.defined() && bias.sizes() != Sizes{weight.size(0)}) {
    throw TensorError(operation, "bias", "of shape [" + std::to_string(weight.size(0)) + "]",
                      "of shape " + to_string(bias.sizes()));
  }
}

Tensor as_rows(const Tensor& x) {
  return x.dim() == 1 ? x.unsqueeze(0) : x.flatten(0, -2);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (autocasts(x)) return autocast([](const auto&... in) { return linear(in...); }, x, weight, bias);
  check_linear_shapes("linear", x, weight, bias);
  check_factors("linear", "x and weight", x, weight);
  if (bias.defined()) check_summand("linear", "bias", bias, x);
  return autograd::recorded(
      "linear", {&x, &weight, &bias},
      [&] {
        if (!bias.defined()) return matmul(x, weight.t());
        return product_plus("linear", x, weight.t(), bias);
      },
      [&] {
        return [x = Saved(x, weight.requires_grad()), weight = Saved(weight, x.requires_grad())](
                   const Tensor& grad, Gradients& gradients) {
          gradients.add(0, [&] { return matmul(grad, weight.get()); });
          if (gradients.needs(1) && gradients.needs(2) &&
              add_weight_and_bias_gradients(grad, x.get(), gradients))
            return;
          gradients.add(1, [&] { return weight_gradient(grad, x.get()); });
          gradients.add(2, [&] { return sum_to(grad, {grad.size(-1)}); });
        };
      });
}

Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  if (autocasts(a))
    return autocast([&](const auto&... in) { return addmm(in..., beta, alpha); }, input, a, b);
  check_added("addmm", 2, input, a, b);
  return scaled_sum("addmm", input, a, b, beta, alpha);
}

Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha) {
  if (autocasts(batch1))
    return autocast([&](const auto&... in) { return baddbmm(in..., beta, alpha); }, input, batch1, batch2);
  check_added("baddbmm", 3, input, batch1, batch2);
  return scaled_sum("baddbmm", input, batch1, batch2, beta, alpha);
}

Tensor dot(const Tensor& a, const Tensor& b) {
  if (autocasts(a)) return autocast_to_widest([](const auto&... in) { return dot(in...); }, a, b);
  check_vectors("dot", a, b);
  return matmul(a, b);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check_vectors("outer", a, b);
  return a.unsqueeze(1) * b;
}

}  // namespace lectern
