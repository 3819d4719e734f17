#pragma once

#include <cstddef>
#include <vector>

#include "ops/einops/pattern.h"
#include "tensor/sizes.h"

namespace lectern::einops {

/// An axis, by its number among those of a pattern.
using Label = std::size_t;

/// How a sum of products of tensors of certain shapes is computed: tensor by tensor first, then by products
/// of two, of which each result joins the list of operands at its end.
struct Contraction {
  struct Operand {
    Sizes squeezed;                              ///< first, the shape without what is repeated or has size 1
    std::vector<std::pair<int, int>> diagonals;  ///< then dimensions that have one name become one, the last
    Sizes summed;                                ///< then these are summed
  };
  /// Dimensions of both in the order that a batch of matrix products wants.
  struct Product {
    std::size_t left, right;    ///< operands, which nothing else uses
    Sizes left_order;           ///< to batch, own, summed
    Sizes right_order;          ///< to batch, summed, own
    std::size_t batch, summed;  ///< how many dimensions these are
  };

  std::vector<Operand> operands;
  std::vector<Product> products;
  Sizes order;   ///< of the last operand's dimensions in the result
  Sizes result;  ///< its shape
};

/// For shapes of which the context shows none. The order of the products costs the fewest multiplications of
/// all orders, for up to 12 operands; more are multiplied from left to right. A TensorError names the axis
/// when pattern and shapes do not fit.
Contraction plan_contraction(const Context& context, const std::vector<Sizes>& shapes);

}  // namespace lectern::einops
