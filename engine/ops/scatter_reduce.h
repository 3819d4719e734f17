#pragma once

#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

/// scatter() (ops/gather.h) with all values that go to one position combined: by `reduce`, "sum", "prod",
/// "mean", "amax" or "amin". With `include_self` the element of x there is one of them. Integer means are
/// rounded down, and there are none of bool. Also a method.
///
/// Deterministic: the values are combined in source order, in the compute type, and rounded once; means are
/// rounded sums divided. Indices are sorted for that (kernels/sort.h). "sum" costs what scatter_add() does,
/// "mean" twice that and a division; the others one floating-point operation for each index, and the bytes
/// that scatter_add() moves. A maximum's gradient is shared among equal elements, as amax()'s.
Tensor scatter_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source,
                      std::string_view reduce, bool include_self = true);

}  // namespace lectern
