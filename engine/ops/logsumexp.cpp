#include "autograd/record.h"
#include "ops/autocast.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/reductions.h"

namespace lectern {

Tensor logsumexp(const Tensor& x, const Sizes& dims, bool keepdim) {
  if (autocast_dtype(kernels::Reduction::logsumexp, x, {})) return logsumexp(x.to(float32), dims, keepdim);
  const Dtype result = x.is_floating_point() ? x.dtype() : float32;
  const ReducedDims reduced("logsumexp", x, dims);
  return autograd::recorded(
      "logsumexp", {&x},
      [&] { return reduce("logsumexp", kernels::Reduction::logsumexp, x, reduced, keepdim, result, result); },
      [&](const Tensor& out) {
        return autograd::formula(
            [reduced](const Tensor& grad, const Tensor& from, const Tensor& sums) {
              const Tensor weights = sub(from, reduced.broadcastable(sums, from.sizes())).exp_();
              return weights.mul_(reduced.broadcastable(grad, from.sizes()));
            },
            Saved(x), Saved(out));
      });
}

}  // namespace lectern
