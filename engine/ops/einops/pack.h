#pragma once

#include <vector>

#include "ops/einops/plan.h"
#include "tensor/tensor.h"

// Tensors of different shapes as one and back, and sizes by name, as in einops.

namespace lectern {

/// What pack() made of tensors: one, and what unpack() needs to take it apart.
struct Packed {
  Tensor tensor;
  std::vector<Sizes> shapes;  ///< of each, the dimensions for which `*` stood
};

/// Joins tensors that share the named dimensions: `*` in "batch * channels" stands for any number of other
/// ones, which are flattened. A copy.
/// A TensorError without tensors, for a pattern without one `*`, and for a tensor of fewer dimensions or of
/// another size of a named one.
Packed pack(const std::vector<Tensor>& tensors, einops::PatternText pattern);

/// The tensors that were packed; views where possible. One of the shapes may hold a -1, which is inferred. A
/// TensorError unless the shapes fill the packed dimension.
std::vector<Tensor> unpack(const Tensor& packed, const std::vector<Sizes>& shapes,
                           einops::PatternText pattern);

/// The sizes of x by the names in "batch _ height width"; `_` skips a dimension, `...` any number of them.
einops::AxisSizes parse_shape(const Tensor& x, einops::PatternText pattern);

}  // namespace lectern
