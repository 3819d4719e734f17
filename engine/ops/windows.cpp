#include "ops/windows.h"

#include <algorithm>
#include <string>

#include "base/noun.h"
#include "base/tensor_error.h"

namespace lectern {

Sizes for_each_dim(std::string_view operation, std::string_view option, const Sizes& given, std::size_t dims,
                   std::int64_t least) {
  const bool in_range = std::all_of(given.begin(), given.end(), [&](std::int64_t size) {
    return size >= least && size < std::int64_t{1} << 31;
  });
  if ((given.size() != 1 && given.size() != dims) || !in_range) {
    throw TensorError(operation, option,
                      (dims == 1 ? "one size" : "one size or " + std::to_string(dims)) + " from " +
                          std::to_string(least) + " to 2^31 - 1",
                      to_string(given));
  }
  return given.size() == dims ? given : Sizes::filled(dims, given[0]);
}

void check_window(std::string_view operation, const Window& window, std::int64_t length) {
  if (length >= window.extent()) return;
  throw TensorError(operation, "the kernel",
                    "no larger than the padded input, of " + with_noun(length, "element"),
                    "over " + std::to_string(window.extent()));
}

Tensor windows_along(std::string_view operation, const Tensor& x, std::int64_t dim, const Window& window) {
  check_window(operation, window, x.size(dim));
  const Tensor all = x.unfold(dim, window.extent(), window.stride);
  return window.dilation == 1 ? all : all.slice(-1, {}, {}, window.dilation);
}

}  // namespace lectern
