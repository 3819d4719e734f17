#pragma once

#include <functional>

#include "tensor/tensor.h"

// Sums of gradients, computed by kernels/ directly.

namespace lectern::autograd {

/// a + b, in the memory of `a` where nothing else references it.
Tensor sum(Tensor&& a, const Tensor& b);

/// to += from, of the same shape. Elements of `to` that share a memory location accumulate there.
void add_into(const Tensor& to, const Tensor& from);

/// Maps a tensor to a view of some of its elements; the selection depends on the shape only.
using Part = std::function<Tensor(const Tensor&)>;
/// The gradient of a tensor of shape `whole` of which only a part was used: `gradient` there, 0 elsewhere.
Tensor part_gradient(const Sizes& whole, const Tensor& gradient, const Part& part);
/// Adds that gradient to `sum` in place, O(the part), when nothing else references it. Otherwise does nothing
/// and returns false.
bool add_part(const Tensor& sum, const Tensor& gradient, const Part& part);

/// A tensor's layout in its storage, without its elements. Strides of dimensions of size 1, which lead
/// nowhere, are 1.
struct Layout {
  explicit Layout(const Tensor& tensor);
  friend bool operator==(const Layout&, const Layout&) = default;

  Sizes sizes, strides;
  std::int64_t offset;
  Dtype dtype;
  Device device;
};

/// The gradient of `base` from that of `view`, which shares its storage: 0 outside the view. Elements of
/// `base` that share a memory location get equal shares of its gradient.
Tensor base_gradient(const Layout& base, const Layout& view, const Tensor& gradient);

/// The gradient of `base` split in two: the part of `view`, a new tensor, and the rest, with 0 there.
struct Parts {
  Tensor view, rest;
};
Parts split_gradient(const Layout& base, const Layout& view, const Tensor& gradient);

}  // namespace lectern::autograd
