#include "ops/nonzero.h"

#include "device/counters.h"
#include "kernels/nonzero.h"
#include "tensor/creation.h"

namespace lectern {

Tensor nonzero(const Tensor& x) {
  const Tensor mask = x.to(bool_).contiguous();
  const Tensor starts = empty({kernels::mask_runs(mask.numel())}, {.dtype = int64, .device = x.device()});
  const bool* const set = mask.data<bool>();
  auto* const first = starts.data<std::int64_t>();
  const std::int64_t rows = kernels::count_nonzero("nonzero", x.device(), mask.numel(), set, first);
  const Tensor result = empty({rows, x.dim()}, {.dtype = int64, .device = x.device()});
  if (result.numel() > 0)
    kernels::fill_nonzero("nonzero", x.device(), mask.sizes(), set, first, result.data<std::int64_t>());
  count(0, mask.nbytes() + result.nbytes());
  return result;
}

Tensor Tensor::nonzero() const {
  return lectern::nonzero(*this);
}

}  // namespace lectern
