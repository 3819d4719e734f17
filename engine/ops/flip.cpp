#include "ops/flip.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/index.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

Tensor rolled(const Tensor& x, std::int64_t shift, std::size_t dim) {
  const std::int64_t size = x.sizes()[dim];
  const auto at = static_cast<std::int64_t>(dim);
  return autograd::recorded(
      "roll", {&x},
      [&] {
        const Tensor result = empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()});
        if (x.numel() == 0) return result;
        const std::int64_t first = (shift % size + size) % size;
        uncounted([&] {
          result.narrow(at, first, size - first).copy_(x.narrow(at, 0, size - first));
          if (first > 0) result.narrow(at, 0, first).copy_(x.narrow(at, size - first, first));
        });
        count(0, bytes_in_memory(x) + result.nbytes());
        return result;
      },
      [&] { return autograd::formula(rolled, -shift, dim); });
}

}  // namespace

Tensor flip(const Tensor& x, const Sizes& dims) {
  return autograd::recorded(
      "flip", {&x},
      [&] {
        Sizes seen = Sizes::filled(std::max<std::size_t>(1, x.sizes().size()), 0);
        Tensor result = x;
        for (const std::int64_t dim : dims) {
          const std::size_t at = wrap_dim("flip", dim, x.sizes().size());
          if (seen[at]++ != 0) throw TensorError("flip", "dims", "all different", to_string(dims));
          if (x.dim() == 0 || x.numel() == 0) continue;
          const Tensor from = result;
          result = uncounted([&] {
            const Tensor last_first =
                arange(x.sizes()[at] - 1, -1, -1, {.dtype = int64, .device = x.device()});
            return index_select(from, static_cast<std::int64_t>(at), last_first);
          });
          count(0, bytes_in_memory(from) + result.nbytes());
        }
        return result.is_same(x) ? x.clone() : result;
      },
      [&] { return autograd::formula(flip, dims); });
}

Tensor roll(const Tensor& x, const Sizes& shifts, const Sizes& dims) {
  if (shifts.empty()) throw TensorError("roll", "shifts", "one or more", "none");
  if (dims.empty() && shifts.size() == 1) {
    return rolled(x.reshape({-1}), shifts[0], 0).view(x.sizes());
  }
  if (shifts.size() != dims.size()) {
    throw TensorError("roll", "dims", "one for each of the shifts " + to_string(shifts), to_string(dims));
  }
  if (x.dim() == 0) throw TensorError("roll", "a tensor without dimensions has none to roll along");
  Tensor result = x;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    result = rolled(result, shifts[i], wrap_dim("roll", dims[i], x.sizes().size()));
  }
  return result;
}

}  // namespace lectern
