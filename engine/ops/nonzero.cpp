#include "ops/nonzero.h"

#include "device/counters.h"
#include "kernels/cuda/nonzero.h"
#include "kernels/nonzero.h"
#include "tensor/creation.h"
#include "tensor/on_device.h"

namespace lectern {

Tensor nonzero(const Tensor& x) {
  const Tensor mask = x.to(bool_).contiguous();
  const Tensor starts = empty({kernels::mask_runs(mask.numel())}, {.dtype = int64, .device = x.device()});
  const bool* const set = mask.data<bool>();
  auto* const first = starts.data<std::int64_t>();
  std::int64_t rows = 0;
  on_device(
      "nonzero", x.device(), [&] { rows = kernels::count_nonzero(mask.numel(), set, first); },
      [&] { rows = kernels::cuda::count_nonzero(mask.numel(), set, first); });
  const Tensor result = empty({rows, x.dim()}, {.dtype = int64, .device = x.device()});
  auto* const out = result.data<std::int64_t>();
  if (result.numel() > 0) {
    on_device(
        "nonzero", x.device(), [&] { kernels::fill_nonzero(mask.sizes(), set, first, out); },
        [&] { kernels::cuda::fill_nonzero(mask.sizes(), set, first, out); });
  }
  count(0, mask.nbytes() + result.nbytes());
  return result;
}

Tensor Tensor::nonzero() const {
  return lectern::nonzero(*this);
}

}  // namespace lectern
