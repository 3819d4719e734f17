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
  const Tensor out = reduce("logsumexp", kernels::Reduction::logsumexp, x, reduced, keepdim, result, result);
  if (autograd::records(x)) {
    autograd::record("logsumexp", out, {&x},
                     [x = autograd::Saved(x), out = autograd::Saved(out), reduced](
                         const Tensor& grad, autograd::Gradients& gradients) {
                       const Tensor from = x.get();
                       const Tensor whole = reduced.broadcastable(out.get(), from.sizes());
                       gradients.add(0,
                                     sub(from, whole).exp_().mul_(reduced.broadcastable(grad, from.sizes())));
                     });
  }
  return out;
}

}  // namespace lectern
