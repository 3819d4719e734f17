#pragma once

#include <optional>
#include <string_view>

#include "ops/extremum.h"
#include "tensor/tensor.h"

// Order statistics, by sorting; also methods. Costs are those of sort() and of the operations after it. NaN
// among the elements gives NaN.

namespace lectern {

/// The element in the middle or, of an even number of elements, the smaller of the two. Any dtype but bool.
/// Elements that equal it share the gradient. Of no elements it is NaN; of no integers a
/// TensorError.
Tensor median(const Tensor& x);
/// Likewise along `dim`, with its position: the first of NaNs.
ValuesAndIndices median(const Tensor& x, std::int64_t dim, bool keepdim = false);

/// The value below which the part q of the elements lies, for q from 0 to 1, of all elements or along `dim`.
/// Between two elements it is by `interpolation` "linear", "lower", "higher", "nearest" (the even one of two)
/// or their "midpoint". x is of dtype float32 or float64, and so is q, which has one dimension or none:
/// several are a new first dimension of the result.
Tensor quantile(const Tensor& x, double q, std::optional<std::int64_t> dim = {}, bool keepdim = false,
                std::string_view interpolation = "linear");
Tensor quantile(const Tensor& x, const Tensor& q, std::optional<std::int64_t> dim = {}, bool keepdim = false,
                std::string_view interpolation = "linear");

}  // namespace lectern
