#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ops/einops/plan.h"
#include "tensor/tensor.h"

// The operations of einops: what happens to the dimensions of a tensor, said by their names.
//
//   rearrange(x, "batch (heads hidden) -> batch heads hidden", {{"heads", 8}})
//
// A pattern has the dimensions of the tensor on the left and those of the result on the right. Names in
// parentheses are one dimension, the first name the outermost. `...` stands for any number of dimensions, `1`
// and `()` for one of size 1. Sizes that do not follow from the tensor's shape are given by name. A
// TensorError says which axis is wrong, and shows the pattern.
//
// They are made of views, one reduction, and a copy only where no view has the shape of the result. How a
// pattern works on a shape is found out once (einops/plan.h).

namespace lectern {

/// The same elements in another order and shape. A view of x where there is one.
Tensor rearrange(const Tensor& x, einops::PatternText pattern, const einops::AxisSizes& sizes = {});
/// Of several tensors of one shape, which are stacked along a new dimension, the first of the left side.
Tensor rearrange(const std::vector<Tensor>& tensors, einops::PatternText pattern,
                 const einops::AxisSizes& sizes = {});

/// Drops the axes that are not on the right side, by "sum", "mean", "max", "min", "prod", "any" or "all". A
/// number on the left side is an axis of that size without a name, which is dropped: "(h 2) -> h".
Tensor reduce(const Tensor& x, einops::PatternText pattern, std::string_view reduction,
              const einops::AxisSizes& sizes = {});
/// By a function, which drops these dimensions of its tensor.
Tensor reduce(const Tensor& x, einops::PatternText pattern,
              const std::function<Tensor(const Tensor&, const Sizes&)>& reduction,
              const einops::AxisSizes& sizes = {});

/// Repeats along the axes that are not on the left side: names of which the sizes are given, or numbers:
/// "h -> h 2". A view where there is one.
Tensor repeat(const Tensor& x, einops::PatternText pattern, const einops::AxisSizes& sizes = {});

}  // namespace lectern
