#include "ops/matmul.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/matmul.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/devices.h"
#include "ops/reductions.h"
#include "tensor/array.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

std::string shapes(const Tensor& a, const Tensor& b) {
  return to_string(a.sizes()) + " and " + to_string(b.sizes());
}

[[noreturn]] void fail(std::string_view operation, const Tensor& a, const Tensor& b,
                       const std::string& problem) {
  throw TensorError(operation, shapes(a, b) + ": " + problem);
}

void check_dtypes(std::string_view operation, const Tensor& a, const Tensor& b) {
  check_same_device(operation, a, b);
  if (a.dtype() != b.dtype()) {
    throw TensorError(operation, "the dtypes", "the same",
                      std::string(name(a.dtype())) + " and " + std::string(name(b.dtype())));
  }
  if (a.dtype() == bool_)
    throw TensorError(operation, "dtype", "a number's", "bool; convert with to() first");
  if (a.is_cuda() && !a.is_floating_point()) {
    throw TensorError(operation, "dtype on cuda", "a floating one",
                      std::string(name(a.dtype())) +
                          ", of which the GPU, as in PyTorch, has no product; move with to(\"cpu\"), or "
                          "convert with to(float32)");
  }
}

/// Itself, or a copy if the kernels cannot read its strides.
Tensor readable(const Tensor& x) {
  const bool is_readable =
      kernels::readable_matrix(x.device(), x.dtype(), x.size(-2), x.size(-1), x.stride(-2), x.stride(-1));
  if (is_readable) return x;
  return uncounted([&] { return copied("matmul", x, x.dtype(), x.device(), contiguous_strides(x.sizes())); });
}

/// The leading dimensions of the result.
Sizes batch_sizes(std::string_view operation, const Tensor& a, const Tensor& b) {
  const std::span<const std::int64_t> left = std::span(a.sizes()).first(a.sizes().size() - 2);
  const std::span<const std::int64_t> right = std::span(b.sizes()).first(b.sizes().size() - 2);
  for (std::size_t i = 1; i <= std::min(left.size(), right.size()); ++i) {
    const std::int64_t x = left[left.size() - i];
    const std::int64_t y = right[right.size() - i];
    if (x != y && x != 1 && y != 1) {
      fail(operation, a, b,
           "the leading dimensions must be equal or 1, but " + std::to_string(x) + " is not " +
               std::to_string(y));
    }
  }
  return broadcast_sizes(operation, left, right);
}

/// Whether all dimensions but the last form evenly spaced rows.
bool has_evenly_spaced_rows(const Tensor& x) {
  for (std::size_t d = 0; d + 2 < x.sizes().size(); ++d) {
    if (x.strides()[d] != x.sizes()[d + 1] * x.strides()[d + 1]) return x.is_contiguous();
  }
  return true;
}

void record_product(std::string_view operation, const Tensor& out, const Tensor& a, const Tensor& b) {
  if (!autograd::records(a, b)) return;
  autograd::record(operation, out, {&a, &b},
                   [a = Saved(a, b.requires_grad()), b = Saved(b, a.requires_grad()), a_sizes = a.sizes(),
                    b_sizes = b.sizes()](const Tensor& grad, Gradients& gradients) {
                     gradients.add(0, [&] { return sum_to(matmul(grad, b.get().mT()), a_sizes); });
                     gradients.add(1, [&] { return sum_to(matmul(a.get().mT(), grad), b_sizes); });
                   });
}

void check_largest(std::string_view operation, const Tensor& a, const Tensor& b,
                   const kernels::ProductSizes& sizes) {
  if (std::max({sizes.rows, sizes.columns, sizes.inner}) <= kernels::kLargestMatrix) return;
  fail(operation, a, b,
       "floating matrices have at most " + std::to_string(kernels::kLargestMatrix) + " rows or columns");
}

/// Of two matrices.
kernels::ProductSizes sizes_of_product(const Tensor& a, const Tensor& b) {
  const kernels::ProductSizes sizes{a.size(0), b.size(1), a.size(1)};
  check_largest("matmul", a, b, sizes);
  return sizes;
}

/// For tensors of at least two dimensions with the same inner size, in `dtype`: theirs, or that of their
/// sums.
Tensor product(std::string_view operation, const Tensor& a, const Tensor& b, Dtype dtype) {
  const Sizes batch = batch_sizes(operation, a, b);
  const kernels::ProductSizes sizes{a.size(-2), b.size(-1), a.size(-1)};
  if (a.is_floating_point()) check_largest(operation, a, b, sizes);
  const Sizes result = concat(batch, {sizes.rows, sizes.columns});
  const TensorOptions options{.dtype = dtype, .device = a.device()};
  const Tensor out = sizes.inner == 0 ? zeros(result, options) : empty(result, options);
  record_product(operation, out, a, b);
  if (out.numel() == 0 || sizes.inner == 0) return out;

  const Tensor left = readable(a);
  const Tensor right = readable(b);
  const auto repeated = [&](const Tensor& x) {
    return expanded_strides(x.sizes(), x.strides(), concat(batch, {x.size(-2), x.size(-1)}));
  };
  const Sizes left_strides = repeated(left);
  const Sizes right_strides = repeated(right);
  kernels::matmul(operation, out.device(), batch, sizes, to_array(out), to_array(left, left_strides),
                  to_array(right, right_strides));
  count_product(out, sizes.inner, a, b);
  return out;
}

void check_inner(std::string_view operation, const Tensor& a, const Tensor& b) {
  const std::int64_t left = a.size(-1);
  const std::int64_t right = b.dim() == 1 ? b.size(0) : b.size(-2);
  if (left != right) {
    fail(operation, a, b,
         "the last size of the left operand must be the " +
             std::string(b.dim() == 1 ? "size" : "last size but one") + " of the right one, but " +
             std::to_string(left) + " is not " + std::to_string(right));
  }
}

/// The accumulation dtype.
Dtype sums_dtype(Dtype dtype) {
  return is_floating_point(dtype) ? compute_dtype(dtype) : dtype;
}

Tensor matmul_as(Dtype dtype, const Tensor& a, const Tensor& b) {
  if (a.dim() == 0 || b.dim() == 0) fail("matmul", a, b, "both operands must have one dimension or more");
  check_dtypes("matmul", a, b);
  check_inner("matmul", a, b);
  // A vector is a row on the left, a column on the right; its extra dimension is removed from the result.
  if (a.dim() == 1) return matmul_as(dtype, a.unsqueeze(0), b).squeeze(b.dim() == 1 ? 0 : -2);
  if (b.dim() == 1) return matmul_as(dtype, a, b.unsqueeze(1)).squeeze(-1);
  if (a.dim() == 2 || b.dim() > 2 || !has_evenly_spaced_rows(a)) return product("matmul", a, b, dtype);
  // One matrix on the right for the whole batch: the batch becomes the rows of one product.
  Sizes result = a.sizes();
  result[result.size() - 1] = b.size(1);
  return product("matmul", a.flatten(0, -2), b, dtype).view(result);
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (autocasts(a)) return autocast([](const auto&... in) { return matmul(in...); }, a, b);
  return matmul_as(a.dtype(), a, b);
}

Tensor matmul_sums(const Tensor& a, const Tensor& b) {
  const NoGradGuard no_grad;
  return matmul_as(sums_dtype(a.dtype()), a, b);
}

void add_matmul(const Tensor& sums, const Tensor& a, const Tensor& b) {
  const kernels::ProductSizes sizes = sizes_of_product(a, b);
  if (sums.numel() == 0 || sizes.inner == 0) return;
  const NoGradGuard no_grad;
  const Tensor left = readable(a), right = readable(b);
  kernels::add_matmul("matmul", sums.device(), sizes, to_array(sums), to_array(left), to_array(right));
}

bool biased_matmul(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& bias) {
  const kernels::ProductSizes sizes = sizes_of_product(a, b);
  if (!out.is_cuda() || out.numel() == 0 || sizes.inner == 0) return false;
  const NoGradGuard no_grad;
  const Tensor left = readable(a), right = readable(b);
  return kernels::biased_product("matmul", out.device(), sizes, to_array(out), to_array(left),
                                 to_array(right), bias.data_ptr());
}

bool matmul_and_row_sums(const Tensor& out, const Tensor& row_sums, const Tensor& a, const Tensor& b) {
  const kernels::ProductSizes sizes = sizes_of_product(a, b);
  if (!out.is_cuda() || out.numel() == 0 || sizes.inner == 0) return false;
  const NoGradGuard no_grad;
  const Tensor left = readable(a), right = readable(b);
  return kernels::product_and_row_sums("matmul", out.device(), sizes, to_array(out), row_sums.data_ptr(),
                                       to_array(left), to_array(right));
}

void count_product(const Tensor& out, std::int64_t inner, const Tensor& a, const Tensor& b) {
  if (out.numel() > 0) count(2 * out.numel() * inner, bytes_in_memory(a) + bytes_in_memory(b) + out.nbytes());
}

Tensor mm(const Tensor& a, const Tensor& b) {
  if (autocasts(a)) return autocast([](const auto&... in) { return mm(in...); }, a, b);
  if (a.dim() != 2 || b.dim() != 2) fail("mm", a, b, "both operands must have two dimensions");
  check_dtypes("mm", a, b);
  check_inner("mm", a, b);
  return product("mm", a, b, a.dtype());
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  if (autocasts(a)) return autocast([](const auto&... in) { return bmm(in...); }, a, b);
  if (a.dim() != 3 || b.dim() != 3) fail("bmm", a, b, "both operands must have three dimensions");
  if (a.size(0) != b.size(0)) fail("bmm", a, b, "both operands must have as many matrices");
  check_dtypes("bmm", a, b);
  check_inner("bmm", a, b);
  return product("bmm", a, b, a.dtype());
}

}  // namespace lectern
