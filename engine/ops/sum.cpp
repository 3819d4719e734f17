#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/autocast.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/reductions.h"

namespace lectern {

namespace {

/// Each summand gets the gradient of the sum times `weight`.
void record_sum(std::string_view operation, const Tensor& out, const Tensor& x, const ReducedDims& dims,
                double weight) {
  if (!autograd::records(x)) return;
  autograd::record(operation, out, {&x},
                   [sizes = x.sizes(), dtype = x.dtype(), kept = dims.result_sizes(x.sizes(), true), weight](
                       const Tensor& grad, Gradients& gradients) {
                     const Tensor each = weight == 1 ? grad : grad * weight;
                     gradients.add(0, each.to(dtype).reshape(kept).expand(sizes));
                   });
}

}  // namespace

Tensor sum(const Tensor& x, const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) {
  const Dtype result =
      autocast_dtype(kernels::Reduction::sum, x, dtype).value_or(x.is_floating_point() ? x.dtype() : int64);
  const Tensor terms = result == bool_ ? x.to(bool_) : x;  // 0.5 is true, not the 0 that it is as an integer
  const ReducedDims reduced("sum", x, dims);
  const Tensor out = reduce("sum", kernels::Reduction::sum, terms, reduced, keepdim, result, result);
  record_sum("sum", out, x, reduced, 1);
  return out;
}

Tensor sum(const Tensor& x, std::optional<Dtype> dtype) {
  return sum(x, {}, false, dtype);
}

Tensor mean(const Tensor& x, const Sizes& dims, bool keepdim, std::optional<Dtype> dtype) {
  const Dtype result = autocast_dtype(kernels::Reduction::mean, x, dtype).value_or(x.dtype());
  if (!is_floating_point(result)) {
    throw TensorError("mean", "dtype", "floating",
                      std::string(name(result)) + "; convert with to(), or name a dtype");
  }
  const ReducedDims reduced("mean", x, dims);
  const Tensor out = reduce("mean", kernels::Reduction::mean, x, reduced, keepdim, result, result);
  record_sum("mean", out, x, reduced, 1 / static_cast<double>(reduced.elements(x.sizes())));
  return out;
}

Tensor mean(const Tensor& x, std::optional<Dtype> dtype) {
  return mean(x, {}, false, dtype);
}

Tensor sum_to(const Tensor& x, const Sizes& sizes) {
  if (x.sizes() == sizes) return x;
  const std::size_t lead = x.sizes().size() - sizes.size();
  Sizes repeated;
  for (std::size_t d = 0; d < x.sizes().size(); ++d) {
    if (d < lead || (sizes[d - lead] == 1 && x.sizes()[d] != 1))
      repeated.push_back(static_cast<std::int64_t>(d));
  }
  const Tensor kept = repeated.empty() ? x : sum(x, repeated, true);
  return kept.view(sizes);
}

}  // namespace lectern
