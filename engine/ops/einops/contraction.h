#pragma once

#include <cstddef>
#include <vector>

#include "ops/einops/pattern.h"
#include "tensor/sizes.h"

namespace lectern::einops {

/// An axis, as an index into those of a pattern.
using Label = std::size_t;

/// How a sum of products of tensors of given shapes is computed: each tensor first, then pairwise products,
/// each result being appended to the operands.
struct Contraction {
  struct Operand {
    Sizes squeezed;                              ///< first, the shape without broadcast or size-1 dimensions
    std::vector<std::pair<int, int>> diagonals;  ///< then dimensions of the same name merge, moved last
    Sizes summed;                                ///< then these are summed
  };
  /// The order of both operands' dimensions for a batched matrix product.
  struct Product {
    std::size_t left, right;    ///< operands, used only here
    Sizes left_order;           ///< to batch, own, summed
    Sizes right_order;          ///< to batch, summed, own
    std::size_t batch, summed;  ///< the number of such dimensions
  };

  std::vector<Operand> operands;
  std::vector<Product> products;
  Sizes order;   ///< of the last operand's dimensions in the result
  Sizes result;  ///< its shape
};

/// For these shapes, since the context has none. For up to 12 operands the order of products minimises
/// multiplications; more are multiplied left to right. A TensorError names the axis when pattern and shapes
/// do not fit.
Contraction plan_contraction(const Context& context, const std::vector<Sizes>& shapes);

}  // namespace lectern::einops
