#include "ops/unique.h"

#include "autograd/grad_mode.h"
#include "ops/elementwise.h"
#include "ops/index.h"
#include "ops/join.h"
#include "ops/nonzero.h"
#include "ops/scan.h"
#include "ops/sort.h"
#include "tensor/creation.h"

namespace lectern {

UniqueElements unique(const Tensor& x, bool /*sorted*/, bool return_inverse, bool return_counts) {
  const NoGradGuard no_grad;
  const auto [elements, order] = sort(x.detach().reshape({-1}));
  const std::int64_t size = elements.numel();
  const TensorOptions of_index{.dtype = int64, .device = x.device()};
  const Tensor begins = ones({size}, {.dtype = bool_, .device = x.device()});
  if (size > 1) begins.slice(0, 1).copy_(elements.slice(0, 1) != elements.slice(0, 0, size - 1));
  const Tensor starts = nonzero(begins).select(1, 0);
  UniqueElements result;
  result.values = index_select(elements, 0, starts);
  if (return_inverse) {
    result.inverse_indices = empty({size}, of_index);
    result.inverse_indices.scatter_(0, order, cumsum(begins, 0).sub_(1));
    result.inverse_indices = result.inverse_indices.view(x.sizes());
  }
  if (return_counts)
    result.counts = cat({starts.slice(0, 1), full({starts.numel() > 0 ? 1 : 0}, size, of_index)}) - starts;
  return result;
}

UniqueElements Tensor::unique(bool sorted, bool return_inverse, bool return_counts) const {
  return lectern::unique(*this, sorted, return_inverse, return_counts);
}

}  // namespace lectern
