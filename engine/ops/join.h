#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "tensor/tensor.h"

// Joining tensors to one, and taking one apart; the latter are also methods.

namespace lectern {

/// The tensors one after the other along `dim`; of the same shape but for that dimension, and of the dtype to
/// which all promote. Tensors of shape [0] count as nothing. A TensorError when there is none, when one has
/// no dimensions, or when shapes or devices differ. Each element is copied once.
Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim = 0);
/// The same along a new dimension; all of one shape.
Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim = 0);
/// Side by side: along the second dimension, or the only one.
Tensor hstack(const std::vector<Tensor>& tensors);
/// One below the other, those of one dimension as rows.
Tensor vstack(const std::vector<Tensor>& tensors);

/// What comes to each of the tensors of a cat() from `grad`, the gradient of its result: views of it.
std::vector<Tensor> cat_backward(const Tensor& grad, std::span<const Sizes> sizes, std::int64_t dim);

/// Views of `split_size` elements along `dim`, the last one of what is left over.
template <std::integral T>
std::vector<Tensor> split(const Tensor& x, T split_size, std::int64_t dim = 0) {
  return x.split(split_size, dim);
}
/// Views of these sizes, which together are that of the dimension.
std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& split_sizes,
                          std::int64_t dim = 0);
/// At most so many views, of one size but for the last.
std::vector<Tensor> chunk(const Tensor& x, std::int64_t chunks, std::int64_t dim = 0);
/// x[0], x[1], … along `dim`: views.
std::vector<Tensor> unbind(const Tensor& x, std::int64_t dim = 0);

}  // namespace lectern
