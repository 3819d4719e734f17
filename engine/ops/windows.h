#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

// What convolutions and pooling look at: windows along the last dimensions of a tensor.

namespace lectern {

/// Along one dimension.
struct Window {
  std::int64_t size = 1, stride = 1, dilation = 1;

  /// From its first element to its last.
  std::int64_t extent() const { return dilation * (size - 1) + 1; }
  /// How many there are in so many elements.
  std::int64_t count(std::int64_t length) const { return (length - extent()) / stride + 1; }
};

/// An option that is given once for all `dims` dimensions, or for each; at least `least`. A TensorError
/// naming the operation and the option.
Sizes for_each_dim(std::string_view operation, std::string_view option, const Sizes& given, std::size_t dims,
                   std::int64_t least);

/// A TensorError for a window of more than the padded `length`.
void check_window(std::string_view operation, const Window& window, std::int64_t length);

/// The windows along `dim` in a new last dimension. A view; a TensorError when the dimension is shorter.
Tensor windows_along(std::string_view operation, const Tensor& x, std::int64_t dim, const Window& window);

}  // namespace lectern
