#pragma once

#include <functional>

#include "tensor/tensor.h"

// Sums of gradients, straight through kernels/.

namespace lectern::autograd {

/// a + b, in the memory of `a` where nobody else looks at it.
Tensor sum_of(Tensor&& a, const Tensor& b);

/// to += from, of one shape. Where elements of `to` are one number in memory, it gets all that belongs to
/// them.
void add_into(const Tensor& to, const Tensor& from);

/// Gives a view of some elements of a tensor, always the same of those of one shape.
using Part = std::function<Tensor(const Tensor&)>;
/// The gradient of a tensor of shape `whole` of which only a part was used: `gradient` there, 0 elsewhere.
Tensor gradient_of_part(const Sizes& whole, const Tensor& gradient, const Part& part);
/// Adds that to the `sum` of others, O(the part), when nobody else looks at it. Otherwise false, and nothing
/// was done.
bool add_part(const Tensor& sum, const Tensor& gradient, const Part& part);

/// How a tensor lies in its storage, without its numbers.
struct Layout {
  explicit Layout(const Tensor& of);

  Sizes sizes, strides;
  std::int64_t offset;
  Dtype dtype;
  Device device;
};

/// The gradient of `base` when that of `view`, which looks at the same storage, is `gradient`: 0 beside it.
/// Elements of `base` that are one number in memory get equal shares of what belongs to that.
Tensor gradient_of_base(const Layout& base, const Layout& view, const Tensor& gradient);

/// The part of the gradient of `base` that belongs to `view`, a new tensor, and what is left of it, with 0
/// there.
struct Parts {
  Tensor of_view, rest;
};
Parts split_gradient(const Layout& base, const Layout& view, const Tensor& gradient);

}  // namespace lectern::autograd
