#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ops/einops/plan.h"
#include "tensor/tensor.h"

// The operations of einops: rearranging a tensor's dimensions by name.
//
//   rearrange(x, "batch (heads hidden) -> batch heads hidden", {{"heads", 8}})
//
// A pattern lists the tensor's dimensions on the left and the result's on the right. Names in parentheses
// form one dimension, outermost first. `...` stands for any number of dimensions, `1` and `()` for one of
// size 1. Sizes that cannot be inferred from the shape are given by name. A TensorError names the wrong axis
// and shows the pattern.
//
// Composed of views, one reduction, and a copy only where no view has the result's shape. The plan for a
// pattern and shape is cached (einops/plan.h).

namespace lectern {

/// The same elements in another order and shape. A view of x if possible.
Tensor rearrange(const Tensor& x, einops::PatternText pattern, const einops::AxisSizes& sizes = {});
/// For tensors of equal shape, stacked along a new dimension, the first of the left side.
Tensor rearrange(const std::vector<Tensor>& tensors, einops::PatternText pattern,
                 const einops::AxisSizes& sizes = {});

/// Reduces the axes missing on the right side by "sum", "mean", "max", "min", "prod", "any" or "all". A
/// number on the left side is an unnamed axis of that size, which is reduced: "(h 2) -> h".
Tensor reduce(const Tensor& x, einops::PatternText pattern, std::string_view reduction,
              const einops::AxisSizes& sizes = {});
/// By a function that reduces these dimensions of its tensor.
Tensor reduce(const Tensor& x, einops::PatternText pattern,
              const std::function<Tensor(const Tensor&, const Sizes&)>& reduction,
              const einops::AxisSizes& sizes = {});

/// Repeats along the axes missing on the left side: names with given sizes, or numbers: "h -> h 2". A view if
/// possible.
Tensor repeat(const Tensor& x, einops::PatternText pattern, const einops::AxisSizes& sizes = {});

}  // namespace lectern
