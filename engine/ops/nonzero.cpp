#include "ops/nonzero.h"

#include "device/counters.h"
#include "kernels/nonzero.h"
#include "ops/reduction.h"
#include "ops/reductions.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

/// A reduction to bool.
Tensor tested(std::string_view operation, kernels::Reduction reduction, const Tensor& x, const Sizes& dims,
              bool keepdim) {
  const Dtype result = x.dtype() == uint8 ? uint8 : bool_;
  return reduce(operation, reduction, x, ReducedDims(operation, x, dims), keepdim, x.dtype(), result);
}

}  // namespace

Tensor any(const Tensor& x, const Sizes& dims, bool keepdim) {
  return tested("any", kernels::Reduction::any, x, dims, keepdim);
}
Tensor all(const Tensor& x, const Sizes& dims, bool keepdim) {
  return tested("all", kernels::Reduction::all, x, dims, keepdim);
}

Tensor count_nonzero(const Tensor& x, const Sizes& dims) {
  const Dtype common = x.is_floating_point() ? float64 : int64;  // float32 counts only to 2^24
  return reduce("count_nonzero", kernels::Reduction::count_nonzero, x, ReducedDims("count_nonzero", x, dims),
                false, common, int64);
}

Tensor nonzero(const Tensor& x) {
  const Tensor truths = x.to(bool_);
  const Tensor mask = uncounted([&] { return truths.contiguous(); });
  const Tensor starts = empty({kernels::mask_runs(mask.numel())}, {.dtype = int64, .device = x.device()});
  const bool* const set = mask.data<bool>();
  auto* const first = starts.data<std::int64_t>();
  const std::int64_t rows = kernels::count_true("nonzero", x.device(), mask.numel(), set, first);
  const Tensor result = empty({rows, x.dim()}, {.dtype = int64, .device = x.device()});
  if (result.numel() > 0)
    kernels::fill_nonzero("nonzero", x.device(), mask.sizes(), set, first, result.data<std::int64_t>());
  count(0, bytes_in_memory(truths) + result.nbytes());
  return result;
}

Tensor argwhere(const Tensor& x) {
  return nonzero(x);
}

}  // namespace lectern
