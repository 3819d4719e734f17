#include "ops/sort.h"

#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/order_key.h"
#include "kernels/sort.h"
#include "ops/index_access.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

/// For each row along the last of x's one or more dimensions, the first `k` column indices in sorted order.
Tensor columns_in_order(std::string_view operation, const Tensor& x, bool descending, std::int64_t k) {
  const Tensor keys = empty(x.sizes(), {.dtype = int64, .device = x.device()});
  const Tensor columns = empty(x.sizes(), {.dtype = int64, .device = x.device()});
  const Tensor first = columns.narrow(-1, 0, k);
  if (first.numel() == 0) return first;
  const std::int64_t size = x.size(-1);
  const std::int64_t rows = x.numel() / size;
  auto* const key = static_cast<std::uint64_t*>(keys.data_ptr());
  auto* const column = columns.data<std::int64_t>();
  kernels::order_keys(operation, x.device(), x.sizes(), to_array(x), descending, key);
  kernels::sort_first(operation, x.device(), rows, size, k, kernels::order_key_bits(x.dtype()), key, column);
  return k == size ? columns : first.clone();
}

ValuesAndIndices first_in_order(std::string_view operation, const Tensor& x, std::int64_t dim,
                                bool descending, std::int64_t k) {
  const Tensor rows = x.dim() == 0 ? x.unsqueeze(0) : x.transpose(dim, -1);
  const Tensor columns = columns_in_order(operation, rows, descending, k);
  Sizes strides = rows.strides();
  const kernels::IndexedDim last{rows.size(-1), strides.back()};
  strides[strides.size() - 1] = 0;
  const Tensor from = rows.as_strided(columns.sizes(), strides, rows.storage_offset());
  const Tensor values = take(operation, from, columns, last);
  const auto in_place = [&](const Tensor& sorted) {
    if (x.dim() == 0) return sorted.numel() == 1 ? sorted.squeeze(0) : sorted;
    return sorted.transpose(dim, -1).contiguous();
  };
  return {in_place(values), in_place(columns)};
}

/// The first `k` along `dim`, or all.
ValuesAndIndices sorted(std::string_view operation, const Tensor& x, std::int64_t dim, bool descending,
                        std::optional<std::int64_t> k = {}) {
  const auto at = static_cast<std::int64_t>(wrap_dim(operation, dim, x.sizes().size()));
  const std::int64_t size = x.dim() == 0 ? 1 : x.size(at);
  if (k && (*k < 0 || *k > size)) {
    throw TensorError(operation, "k", "from 0 to the size of the dimension, " + std::to_string(size),
                      std::to_string(*k));
  }
  ValuesAndIndices result;
  result.values = autograd::recorded(
      operation, {&x},
      [&] {
        const ValuesAndIndices first =
            uncounted([&] { return first_in_order(operation, x, at, descending, k.value_or(size)); });
        count(0, bytes_in_memory(x) + first.values.nbytes() + first.indices.nbytes());
        result.indices = first.indices;
        return first.values;
      },
      [&] { return autograd::formula(sort_backward, x.sizes(), at, Saved(result.indices)); });
  return result;
}

}  // namespace

ValuesAndIndices sort(const Tensor& x, std::int64_t dim, bool descending, bool /*stable*/) {
  return sorted("sort", x, dim, descending);
}

Tensor argsort(const Tensor& x, std::int64_t dim, bool descending, bool /*stable*/) {
  return sorted("argsort", x, dim, descending).indices;
}

ValuesAndIndices topk(const Tensor& x, std::int64_t k, std::int64_t dim, bool largest, bool /*sorted*/) {
  return sorted("topk", x, dim, largest, k);
}

Tensor sort_backward(const Tensor& grad, const Sizes& sizes, std::int64_t dim, const Tensor& indices) {
  return zeros(sizes, {.dtype = grad.dtype(), .device = grad.device()}).scatter_(dim, indices, grad);
}

}  // namespace lectern
