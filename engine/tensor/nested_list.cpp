#include <cstddef>

#include "tensor/creation.h"
#include "tensor/elements.h"
#include "tensor/tensor.h"

namespace lectern {
namespace {

/// The elements from `next` on, of the dimensions from `depth` on.
NestedList list_from(const Elements& elements, Dtype dtype, const Sizes& sizes, std::size_t depth,
                     std::size_t& next) {
  if (depth == sizes.size()) {
    const std::size_t at = next++;
    if (is_floating_point(dtype)) return elements.reals[at];
    if (dtype == bool_) return elements.integers[at] != 0;
    return elements.integers[at];
  }
  std::vector<NestedList> items;
  items.reserve(static_cast<std::size_t>(sizes[depth]));
  for (std::int64_t i = 0; i < sizes[depth]; ++i)
    items.push_back(list_from(elements, dtype, sizes, depth + 1, next));
  return items;
}

}  // namespace

NestedList Tensor::tolist() const {
  std::size_t next = 0;
  return list_from(read_elements(*this, select_all(sizes())), dtype(), sizes(), 0, next);
}

}  // namespace lectern
