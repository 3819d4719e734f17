#include "ops/quantile.h"

#include <limits>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/dims.h"
#include "ops/elementwise.h"
#include "ops/gather.h"
#include "ops/named_option.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/sort.h"
#include "ops/ternary.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

void check_ordered(const Tensor& x) {
  if (x.dtype() == bool_) throw TensorError("median", "dtype", "a number's", "bool; convert with to() first");
}

/// Along the last dimension, the place of the median in order, or of the first NaN.
Tensor middle_place(const Tensor& rows) {
  const std::int64_t size = rows.size(-1);
  Sizes sizes = rows.sizes();
  sizes[sizes.size() - 1] = 1;
  const Tensor middle = full(sizes, (size - 1) / 2, {.dtype = int64, .device = rows.device()});
  if (!rows.is_floating_point()) return middle;
  const Tensor nans = isnan(rows).sum(-1, true);
  return where(nans > 0, size - nans, middle);
}

/// The median's position along the last dimension, which stays with size 1.
Tensor median_position(const Tensor& rows) {
  return gather(argsort(rows, -1), -1, middle_place(rows));
}

Tensor median_backward(const Tensor& grad, const Tensor& x, const Tensor& result) {
  const Tensor equal = eq(x, result).logical_or_(isnan(x).logical_and_(isnan(result)));
  return where(equal, grad / sum(equal).to(grad.dtype()), 0);
}

enum class Interpolation : std::uint8_t { linear, lower, higher, nearest, midpoint };

Interpolation interpolation_named(std::string_view interpolation) {
  constexpr std::string_view kNames[] = {"linear", "lower", "higher", "nearest", "midpoint"};
  return option_named<Interpolation>("quantile", "interpolation", kNames, interpolation);
}

void check_quantile(const Tensor& x, const Tensor& q) {
  if (x.dtype() != float32 && x.dtype() != float64)
    throw TensorError("quantile", "the dtype", "float32 or float64; convert with to()", name(x.dtype()));
  if (q.dtype() != x.dtype())
    throw TensorError("quantile", "the dtype of q", "that of the tensor, " + std::string(name(x.dtype())),
                      name(q.dtype()));
  if (q.dim() > 1)
    throw TensorError("quantile", "q", "of one dimension or none", "of shape " + to_string(q.sizes()));
  if (x.numel() == 0) throw TensorError("quantile", "the tensor", "of one element or more", "empty");
  if (q.is_cuda()) return;  // as in PyTorch: it would synchronize
  if (!all(logical_and(q >= 0, q <= 1)).item<bool>())
    throw TensorError("quantile", "q", "from 0 to 1", "another number");
}

/// Of rows sorted along the last dimension, at these ranks, one or more for each.
Tensor values_at(const Tensor& sorted, const Tensor& ranks, Interpolation interpolation) {
  const auto at = [&](const Tensor& places) { return gather(sorted, -1, places.to(int64)); };
  if (interpolation == Interpolation::lower) return at(floor(ranks));
  if (interpolation == Interpolation::higher) return at(ceil(ranks));
  if (interpolation == Interpolation::nearest) return at(round(ranks));
  const Tensor below = floor(ranks);
  if (interpolation == Interpolation::midpoint) return lerp(at(below), at(ceil(ranks)), 0.5);
  return lerp(at(below), at(ceil(ranks)), ranks - below);
}

/// With the quantiles in the last dimension.
Tensor quantiles_of_rows(const Tensor& rows, const Tensor& q, Interpolation interpolation) {
  const Tensor sorted = sort(rows, -1).values;
  const std::int64_t last = rows.size(-1) - 1;
  Sizes sizes = rows.sizes();
  sizes[sizes.size() - 1] = q.numel();
  const Tensor ranks = (q.detach().reshape({-1}) * last).expand(sizes);
  const Tensor has_nan = isnan(sorted.detach().narrow(-1, last, 1));
  return values_at(sorted, where(has_nan, last, ranks), interpolation);
}

}  // namespace

Tensor median(const Tensor& x) {
  check_ordered(x);
  if (x.numel() == 0 && !x.is_floating_point())
    throw TensorError("median", "the tensor", "of one element or more", "empty");
  return autograd::recorded(
      "median", {&x},
      [&] {
        if (x.numel() == 0)
          return full({}, std::numeric_limits<double>::quiet_NaN(),
                      {.dtype = x.dtype(), .device = x.device()});
        const Tensor row = x.reshape({-1});
        return gather(row, 0, median_position(row)).squeeze(0);
      },
      [&](const Tensor& out) { return autograd::formula(median_backward, Saved(x), Saved(out)); });
}

ValuesAndIndices median(const Tensor& x, std::int64_t dim, bool keepdim) {
  check_ordered(x);
  const auto at = static_cast<std::int64_t>(wrap_dim("median", dim, x.sizes().size()));
  const Tensor rows = at_least_one_dim(x);
  if (rows.size(at) == 0)
    throw TensorError("median", "a dimension of size 0 has no median; the shape is " + to_string(x.sizes()));
  const Tensor indices = median_position(rows.detach().transpose(at, -1)).transpose(at, -1).contiguous();
  const Tensor values = gather(rows, at, indices);
  if (keepdim && x.dim() > 0) return {values, indices};
  return {values.squeeze(at), indices.squeeze(at)};
}

Tensor quantile(const Tensor& x, const Tensor& q, std::optional<std::int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  check_quantile(x, q);
  const Interpolation between = interpolation_named(interpolation);
  const std::size_t at = dim ? wrap_dim("quantile", *dim, x.sizes().size()) : 0;
  const Tensor rows = dim ? at_least_one_dim(x).movedim(static_cast<std::int64_t>(at), -1) : x.reshape({-1});
  const Tensor found = quantiles_of_rows(rows, q, between).movedim(-1, 0);  // [q, …]
  Sizes sizes;
  if (q.dim() > 0) sizes.push_back(q.numel());
  for (std::size_t d = 0; d < x.sizes().size(); ++d) {
    const bool reduced = !dim || d == at;
    if (!reduced || keepdim) sizes.push_back(reduced ? 1 : x.sizes()[d]);
  }
  return found.reshape(sizes);
}

Tensor quantile(const Tensor& x, double q, std::optional<std::int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  if (!(q >= 0 && q <= 1)) throw TensorError("quantile", "q", "from 0 to 1", std::to_string(q));
  return quantile(x,
                  full({}, q, {.dtype = x.is_floating_point() ? x.dtype() : float32, .device = x.device()}),
                  dim, keepdim, interpolation);
}

}  // namespace lectern
