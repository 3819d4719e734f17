#pragma once

#include <cstdint>
#include <optional>

#include "kernels/reduction_table.h"
#include "tensor/tensor.h"

// Reductions, also methods of Tensor; maxima and minima with indices are in extremum.h. Over `dims`, by
// default all; they are removed or, with `keepdim`, have size 1. A TensorError when a dimension is out of
// range or repeated. The result has `dtype`, to which elements are converted first, in its compute type, or
// else the dtype named below. O(elements).
//
// Computed in float64 for float64, in float32 for the other floating dtypes, in int64 for integers and bool,
// and rounded to the result's dtype once. The order of the additions depends on shape and strides only: the
// result is bitwise the same on every processor of a platform and with any number of threads. The error of a
// sum grows with the logarithm of the number of elements.

namespace lectern {

/// int64 for integers and bool, else x's own dtype. The empty sum is 0. One floating-point operation per
/// element.
Tensor sum(const Tensor& x, std::optional<Dtype> dtype = {});
Tensor sum(const Tensor& x, const Sizes& dims, bool keepdim = false, std::optional<Dtype> dtype = {});

/// The same, divided by the number of elements before rounding. A TensorError when the result's dtype,
/// `dtype` or x's own, is not floating. The mean of no elements is NaN.
Tensor mean(const Tensor& x, std::optional<Dtype> dtype = {});
Tensor mean(const Tensor& x, const Sizes& dims, bool keepdim = false, std::optional<Dtype> dtype = {});

/// Products, likewise; the empty product is 1. The gradient is composed of elementwise operations and
/// reductions.
Tensor prod(const Tensor& x, std::optional<Dtype> dtype = {});
Tensor prod(const Tensor& x, std::int64_t dim, bool keepdim = false, std::optional<Dtype> dtype = {});

/// The sum of squared deviations from the mean, divided by the number of elements minus `correction`: 1 (or
/// true) for the unbiased sample variance, 0 (or false) for the population variance. Never sums squares of
/// the elements, so that a large mean costs no precision. NaN where the divisor would be 0. A TensorError
/// when the dtype is not floating. 4 floating-point operations per element (sum, difference, square, sum),
/// plus a few elementwise operations on the result.
Tensor var(const Tensor& x, const Sizes& dims = {}, std::int64_t correction = 1, bool keepdim = false);
/// Its square root.
Tensor std(const Tensor& x, const Sizes& dims = {}, std::int64_t correction = 1, bool keepdim = false);

/// (Σ |x|^p)^(1/p). p = inf: the largest |x|; -inf: the smallest; 0: the number of nonzero elements. The norm
/// of no elements is 0. A TensorError when the dtype, `dtype` or x's own, is not floating. 2 floating-point
/// operations per element (absolute value or square, sum, maximum or count).
///
/// Other p than these, 1 and 2 need memory for the powers of all elements, and cost what the composing
/// operations do. So does the gradient.
Tensor norm(const Tensor& x, double p = 2, const Sizes& dims = {}, bool keepdim = false,
            std::optional<Dtype> dtype = {});

/// all, any: whether all, or any, elements are nonzero; NaN is nonzero. Of dtype bool; uint8 for uint8. For
/// no elements all() is true, any() false. One floating-point operation per element.
///
/// amax, amin: maxima and minima, as those of extremum.h; a TensorError when a dimension is of size 0.
///
/// logsumexp: ln Σ e^x, in one pass and without overflow; -inf for no elements. float32 for integers and
/// bool. 4 floating-point operations per element (maximum, difference, exponential, sum); its gradient grad
/// e^(x - result), 3.
#define LECTERN_FUNCTION(name) Tensor name(const Tensor& x, const Sizes& dims = {}, bool keepdim = false);
LECTERN_REDUCTION_FUNCTIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION

// A single dimension for a list: mean(x, 0).
#define LECTERN_FUNCTION(name)                        \
  template <Dimension D, typename... More>            \
  Tensor name(const Tensor& x, D dim, More... more) { \
    return x.name(dim, more...);                      \
  }
LECTERN_REDUCTION_FUNCTIONS(LECTERN_FUNCTION)
LECTERN_FUNCTION(sum)
LECTERN_FUNCTION(mean)
LECTERN_FUNCTION(var)
LECTERN_FUNCTION(std)
#undef LECTERN_FUNCTION

/// Undoes broadcasting: sums over the dimensions along which a tensor of shape `sizes` was expanded to x's
/// shape. Itself if there are none. The gradient of every operation that broadcasts.
Tensor sum_to(const Tensor& x, const Sizes& sizes);

}  // namespace lectern
