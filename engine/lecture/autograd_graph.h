#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "lecture/hooks.h"
#include "tensor/tensor.h"

namespace lectern {

/// Tensors under the names that a lecture gives them; Module::named_parameters() returns such a list.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

void draw_autograd_graph(const Tensor& result, const NamedTensors& names, const Style& style);

/// Draws what autograd recorded for a tensor: the operations from the leaves that require a gradient down to
/// the tensor. A tensor of `names` is shown with its shape, or its element when it has no dimensions, and
/// with its gradient once there is one: up to four elements, else the norm. Of a larger graph the 60
/// operations nearest to the tensor are drawn. A tensor that requires no gradient has no graph and is an
/// error.
///
///   graph(loss, {{"w", w}, {"loss", loss}});
template <std::derived_from<Tensor> T>  // takes no braced list, which is one of nodes
void graph(const T& result, const NamedTensors& names = {}, const Style& style = {}) {
  draw_autograd_graph(result, names, style);
}

}  // namespace lectern
