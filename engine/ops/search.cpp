#include "ops/search.h"

#include <string>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/search.h"
#include "kernels/sort.h"
#include "ops/devices.h"
#include "ops/elementwise.h"
#include "ops/gather.h"
#include "ops/operands.h"
#include "ops/sort.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

constexpr std::string_view kSearch = "searchsorted";

void check_rows(const Tensor& sorted, const Tensor& values) {
  check_same_device(kSearch, sorted, values);
  if (sorted.dim() == 1) return;
  bool fits = sorted.dim() > 1 && values.dim() == sorted.dim();
  for (std::int64_t d = 0; fits && d + 1 < sorted.dim(); ++d) fits = sorted.size(d) == values.size(d);
  if (!fits) {
    throw TensorError(
        kSearch, "sorted",
        "of one dimension, or of those of the values, " + to_string(values.sizes()) + ", but for the last",
        "of shape " + to_string(sorted.sizes()));
  }
}

bool is_right(std::string_view side, bool right) {
  if (side == "right" || (side == "left" && !right)) return side == "right";
  throw TensorError(kSearch, "side", right ? "\"right\", as right is true" : "\"left\" or \"right\"",
                    "\"" + std::string(side) + "\"");
}

Tensor in_order(const Tensor& elements, const Tensor& sorter) {
  if (sorter.dtype() == int64 && sorter.sizes() == elements.sizes()) return gather(elements, -1, sorter);
  throw TensorError(kSearch, "sorter", "int64, of shape " + to_string(elements.sizes()),
                    std::string(name(sorter.dtype())) + ", of shape " + to_string(sorter.sizes()));
}

/// The sort keys of the elements, in row-major order.
Tensor sort_keys(const Tensor& x) {
  const Tensor keys = empty(x.sizes(), {.dtype = int64, .device = x.device()});
  if (x.numel() > 0)
    kernels::order_keys(kSearch, x.device(), x.sizes(), to_array(x), false,
                        static_cast<std::uint64_t*>(keys.data_ptr()));
  return keys;
}

}  // namespace

Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
  if (side) return searchsorted(sorted, values, out_int32, is_right(*side, right), {}, sorter);
  if (sorter.defined()) return searchsorted(in_order(sorted, sorter), values, out_int32, right);
  check_rows(sorted, values);
  const Dtype common = promoted_dtype(sorted, values);
  if (common == bool_) throw TensorError(kSearch, "dtype", "a number's", "bool; convert with to() first");
  const Tensor places = uncounted([&] {
    const Tensor row_keys = sort_keys(sorted.to(common)), keys = sort_keys(values.to(common));
    const Tensor found = zeros(values.sizes(), {.dtype = int64, .device = values.device()});
    if (values.numel() > 0) {
      const kernels::KeySearch search{static_cast<const std::uint64_t*>(row_keys.data_ptr()),
                                      sorted.size(-1),
                                      sorted.dim() == 1,
                                      static_cast<const std::uint64_t*>(keys.data_ptr()),
                                      values.numel(),
                                      values.dim() == 0 ? 1 : values.size(-1),
                                      right};
      kernels::search_sorted(kSearch, values.device(), search, found.data<std::int64_t>());
    }
    return out_int32 ? found.to(int32) : found;
  });
  count(0, bytes_in_memory(sorted) + bytes_in_memory(values) + places.nbytes());
  return places;
}

Tensor searchsorted(const Tensor& sorted, const Scalar& value, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
  const Tensor number = full({}, value, {.device = sorted.device()});
  return searchsorted(sorted, number, out_int32, right, side, sorter);
}

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool /*assume_unique*/, bool invert) {
  check_same_device("isin", elements, test_elements);
  const Tensor tests = sort(test_elements.detach().reshape({-1})).values;
  if (tests.numel() == 0)
    return full(elements.sizes(), invert, {.dtype = bool_, .device = elements.device()});
  const Tensor given = elements.detach().reshape({-1});
  const Tensor places = searchsorted(tests, given).clamp_max_(tests.numel() - 1);
  const Tensor nearest = gather(tests, 0, places);
  return (invert ? nearest != given : nearest == given).view(elements.sizes());
}

Tensor isin(const Tensor& elements, const Scalar& test_element, bool /*assume_unique*/, bool invert) {
  return invert ? elements != test_element : elements == test_element;
}

}  // namespace lectern
